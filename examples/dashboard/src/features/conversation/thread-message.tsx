import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Attachments } from './attachments.tsx';

/** One message. Its text is shown as text: the format of `rawBody` is not specified. */
export function ThreadMessage({ message, number }: { message: ThreadMessageFragment; number: number }) {
  const { author, role, createdAt, text, rawBody, isInternal, attachments } = message;
  return (
    <article className={`message ${isInternal ? 'is-internal' : ''}`} data-role={role ?? undefined}>
      <Avatar name={author || '?'} />
      <div className="message-body">
        <header className="row">
          <h3>{author || 'Unknown author'}</h3>
          {role && <span className="role">{role}</span>}
          {isInternal && <span className="badge badge-internal">Internal</span>}
          {isInternal === null && <span className="absent">Public or internal: not stated</span>}
          <time className="message-time" dateTime={createdAt ?? undefined}>
            {formatMoment(createdAt) ?? 'Time not stated'}
          </time>
          <a className="message-link" href={`#m-${number}`} aria-label={`#${number}: link to this message`}>
            #{number}
          </a>
        </header>
        <p className="message-text">{text || rawBody || <span className="absent">Without a text</span>}</p>
        {attachments && attachments.length > 0 && <Attachments attachments={attachments} />}
      </div>
    </article>
  );
}
