/** The operations for the schema that all contenders share but those with a generated one. */
export const documents = {
  Site: `query Site($id: ID!) {
  site(id: $id) { id address1 city serviceLevel }
}`,
  Clients: `query Clients($id: ID!) {
  site(id: $id) { id address1 city serviceLevel clients { id name emails { value isPrimary } } }
}`,
  Dashboard: `query Dashboard($id: ID!) {
  conversationContext(id: $id) {
    subject
    status
    messages { author createdAt text }
    sites {
      address
      serviceLevel
      site {
        id
        address1
        city
        serviceLevel
        clients { id name emails { value isPrimary } }
        projects { id name stage }
      }
    }
  }
}`,
  Messages: `query Messages($id: ID!) {
  conversationContext(id: $id) { subject status messages { author createdAt text } }
}`,
  Sites: `query Sites($ids: [ID!]!) {
  sites(ids: $ids) { id address1 city serviceLevel }
}`,
};
