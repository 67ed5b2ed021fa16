import type { Attachment, Message } from '../contract.ts';
import type { Dialogue, Line } from './dialogues/dialogue.ts';
import { minutesAfter, toDateTime } from './moments.ts';
import { provider } from './partners.ts';
import { fullName, type Person } from './people.ts';
import type { Random } from './random.ts';

/** Who speaks in a dialogue, and where. */
export interface Cast {
  client: Person;
  agent: Person;
  street: string;
}

/** A dialogue as messages, from `start` on, each some minutes after the one before. */
export function messagesFrom(dialogue: Dialogue, cast: Cast, start: Date, random: Random): Message[] {
  let moment = start;
  return dialogue.lines.map((line) => {
    const createdAt = toDateTime(moment);
    moment = minutesAfter(moment, random.int(1, dialogue.type === 'email' ? 240 : 25));
    return { createdAt, ...messageFrom(line, dialogue.type === 'email', cast, random) };
  });
}

function messageFrom([speaker, words, title]: Line, isEmail: boolean, cast: Cast, random: Random): Message {
  const text = words
    .replaceAll('{client}', cast.client.firstName)
    .replaceAll('{agent}', cast.agent.firstName)
    .replaceAll('{street}', cast.street);
  const isSpoken = speaker === 'client' || speaker === 'agent';
  return {
    author: authorOf(speaker, cast),
    role: speaker === 'note' ? 'agent' : speaker,
    text,
    isInternal: speaker === 'note',
    ...(isEmail && isSpoken ? { rawBody: `<p>${toHtml(text)}</p>` } : {}),
    ...(title ? { attachments: [attachmentFrom(title, text, random)] } : isEmail ? { attachments: [] } : {}),
  };
}

function authorOf(speaker: Line[0], { client, agent }: Cast): string {
  if (speaker === 'system') return `${provider} Monitoring`;
  return fullName(speaker === 'client' ? client : agent);
}

/** A recording carries what was said; a file carries where it lies. */
function attachmentFrom(title: string, text: string, random: Random): Attachment {
  const id = random.uuid();
  if (title === 'Call recording') return { type: 'transcription', title, content: text, transcriptionId: id };
  const type = title.endsWith('.jpg') ? 'image' : title.endsWith('.m4a') ? 'audio' : 'document';
  return { type, title, content: `https://files.brightwell.example/${id}/${title}` };
}

const toHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
