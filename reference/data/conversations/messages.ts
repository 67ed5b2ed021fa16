import type { Attachment, Message } from '../../contract.ts';
import { minutesAfter, toDateTime } from '../dates.ts';
import { provider } from '../partners.ts';
import type { Random } from '../random.ts';
import { fullName, type Person } from '../sites/people.ts';
import type { Dialogue, Line } from './dialogues.ts';

/** The people and the street of a dialogue. */
export interface Cast {
  client: Person;
  agent: Person;
  street: string;
}

/** The messages of a dialogue, from `start` on, some minutes apart. */
export function messagesFrom(dialogue: Dialogue, cast: Cast, start: Date, random: Random): Message[] {
  let time = start;
  return dialogue.lines.map((line) => {
    const createdAt = toDateTime(time);
    time = minutesAfter(time, random.int(1, dialogue.type === 'email' ? 240 : 25));
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

/** The content of a recording is its transcript, that of a file its URL. */
function attachmentFrom(title: string, text: string, random: Random): Attachment {
  const id = random.uuid();
  if (title === 'Call recording') return { type: 'transcription', title, content: text, transcriptionId: id };
  const type = title.endsWith('.jpg') ? 'image' : title.endsWith('.m4a') ? 'audio' : 'document';
  return { type, title, content: `https://files.brightwell.example/${id}/${title}` };
}

const toHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
