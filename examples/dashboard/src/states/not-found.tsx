import './problem.css';

/** What does not exist, or is another partner's: the REST API responds to both alike. */
export function NotFound({ what, id }: { what: string; id?: string }) {
  return (
    <section className="problem-page" role="alert" data-code="NOT_FOUND">
      <h1>{what} not found</h1>
      {id ? (
        <p>
          <code>{id}</code> does not exist, or belongs to another partner.
        </p>
      ) : (
        <p>There is nothing at this address.</p>
      )}
    </section>
  );
}
