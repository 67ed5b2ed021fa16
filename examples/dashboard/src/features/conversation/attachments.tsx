import type { ThreadMessageFragment } from '../../generated/graphql.ts';

type Attachment = NonNullable<ThreadMessageFragment['attachments']>[number];

/** The attachments of a message: links to files, and transcripts, folded. */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  return (
    <ul className="row attachments">
      {attachments.map((item, index) => (
        <li key={index}>
          <AttachmentContent attachment={item} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentContent({ attachment: { type, title, content } }: { attachment: Attachment }) {
  const name = title || type || 'Attachment';
  if (!content) return <span className="attachment">{name}</span>;
  if (isWebAddress(content)) {
    return (
      <a className="attachment" href={content} target="_blank" rel="noreferrer noopener">
        {name} <span className="visually-hidden">(opens in a new tab)</span>
      </a>
    );
  }
  return (
    <details className="transcript">
      <summary>{name}</summary>
      <p>{content}</p>
    </details>
  );
}

/** Only such a link is followed: a `javascript:` URL would run as a script. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol);
}
