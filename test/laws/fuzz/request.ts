import fc from 'fast-check';
import { bodies, bytesOf, goodBodies } from './body.ts';
import { type Field, fieldsWith } from './field.ts';
import { asItIs, type Frame, framesOf, measured } from './frames.ts';
import { methods, targets, versions } from './start-line.ts';
import { accepts, placeIn, places } from './text.ts';

/** A request under construction. */
interface Draft {
  /** Bytes before the request line. */
  before: string;
  method: string;
  target: string;
  version: string;
  lines: string[];
  lineEnd: string;
  body: string;
  frame: Frame;
  /** Changes the whole text. */
  spoil: (text: string) => string;
}

type Change = (draft: Draft) => void;

/**
 * After a tame change the end of the request is well defined, so that the server must respond. After any other it may
 * close the connection while the request is still being sent, and its response can be lost.
 */
interface Step {
  isTame: boolean;
  change: Change;
}

export interface Request {
  text: string;
  isTame: boolean;
}

/** Requests as bytes, most of them one or two changes away from a valid one. */
export function requestsOf(key: string): fc.Arbitrary<Request> {
  const drafts = fc.oneof({ weight: 4, arbitrary: postsOf(key) }, { weight: 1, arbitrary: getsOf(key) });
  return fc.tuple(drafts, fc.array(stepsWith(key), { maxLength: 3 })).map(([draft, steps]) => {
    const changed = { ...draft, lines: [...draft.lines] };
    for (const { change } of steps) change(changed);
    return {
      text: textOf(changed),
      isTame: plainTarget.test(changed.target) && steps.every(({ isTame }) => isTame),
    };
  });
}

function textOf({ before, method, target, version, lines, lineEnd, body, frame, spoil }: Draft): string {
  const { lines: framing, bytes } = frame(body);
  const head = [`${method} ${target} ${version}`, ...lines, ...framing, '', ''].join(lineEnd);
  return spoil(before + head + bytes);
}

const common = { before: '', version: 'HTTP/1.1', lineEnd: '\r\n', spoil: (text: string) => text };

function postsOf(key: string): fc.Arbitrary<Draft> {
  return fc
    .tuple(goodBodies, accepts, fc.constantFrom('', 'plan', 'report'))
    .map(([body, accept, explain]) => ({
      ...common,
      method: 'POST',
      target: '/graphql',
      lines: [
        ...['Host: localhost', `Accept: ${accept}`, 'Content-Type: application/json', `X-Api-Key: ${key}`],
        ...(explain === '' ? [] : [`X-Explain: ${explain}`]),
      ],
      body,
      frame: measured,
    }));
}

function getsOf(key: string): fc.Arbitrary<Draft> {
  return fc.tuple(targets, accepts).map(([target, accept]) => ({
    ...common,
    method: 'GET',
    target,
    lines: ['Host: localhost', `Accept: ${accept}`, `X-Api-Key: ${key}`],
    body: '',
    frame: asItIs,
  }));
}

/** Changes of an existing header line. */
const twists: ((line: string) => string)[] = [
  (line) => line.replace(/^[^:]*/, (name) => name.toUpperCase()),
  (line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()),
  (line) => line.replace(':', ' :'),
  (line) => line.replace(': ', ':'),
  (line) => line.replace(': ', ':\t '),
  (line) => line.replace(': ', ':\r\n '),
  (line) => line.replace(': ', ':\n'),
  (line) => line.replace(':', ''),
  (line) => line.replace(/:.*/s, ':'),
  (line) => line.slice(0, -1),
  (line) => ` ${line}`,
  (line) => `\t${line}`,
  (line) => `${line}\r\n folded`,
  (line) => `${line}\r\n\tfolded`,
  (line) => `${line}\n`,
  (line) => `${line}\r`,
  (line) => `${line}\0`,
  (line) => `${line}\x01`,
  (line) => `${line}\xff`,
  (line) => `${line} ${'a'.repeat(20_000)}`,
  (line) => `\r\n${line}`,
  (line) => `${line}\r\n${line}`,
  () => '',
  () => ':',
];

function stepsWith(key: string): fc.Arbitrary<Step> {
  const fields = fieldsWith(key);
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fields, places).map(([field, place]) => adding(field, place)) },
    { weight: 5, arbitrary: fields.map(replacing) },
    {
      weight: 3,
      arbitrary: fc.tuple(places, fc.constantFrom(...twists)).map(([place, twist]) => twisting(place, twist)),
    },
    { weight: 1, arbitrary: places.map(removing) },
    { weight: 6, arbitrary: bodies.map(carrying) },
    { weight: 1, arbitrary: targets.map((target) => setting({ target }, true)) },
    { weight: 1, arbitrary: methods.map((method) => setting({ method }, plain.includes(method))) },
    { weight: 1, arbitrary: versions.map((version) => setting({ version }, false)) },
    { weight: 3, arbitrary: framesOf(key).map((frame) => setting({ frame }, false)) },
    { weight: 1, arbitrary: fc.constantFrom(...preludes).map((before) => setting({ before }, false)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\n', '\r', '\r\r\n').map((lineEnd) => setting({ lineEnd }, false)),
    },
    { weight: 2, arbitrary: spoils.map((spoil) => setting({ spoil }, false)) },
  );
}

/** Methods of HTTP whose response has a body. */
const plain = ['GET', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'SOURCE'];
const plainTarget = /^(\/|\*$|http:\/\/[\w.]+\/)[\x21-\x7e]{0,8000}$/;
const preludes = [
  ...[
    '\r\n',
    '\n',
    '\r\n\r\n',
    ' ',
    '\0',
    'x',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\0\x01\0',
  ],
];

function setting(part: Partial<Draft>, isTame: boolean): Step {
  return { isTame, change: (draft) => void Object.assign(draft, part) };
}

function carrying(body: string): Step {
  return {
    isTame: true,
    change(draft) {
      draft.body = body;
      // After a request without a body it would be another request.
      if (draft.method === 'GET' && draft.frame === asItIs) draft.frame = measured;
    },
  };
}

function adding({ name, value }: Field, place: number): Step {
  const line = `${name}: ${bytesOf(value)}`;
  return {
    isTame: /^[\w-]{1,100}: [\x20-\x7e]{0,1000}$/.test(line) && !framing.test(name),
    change: ({ lines }) => void lines.splice(placeIn(lines.length, place), 0, line),
  };
}

const framing = /^(content-length|transfer-encoding)$/i;

function replacing(field: Field): Step {
  const { isTame, change } = adding(field, 1);
  return {
    isTame,
    change(draft) {
      const isOther = (line: string) => !line.toLowerCase().startsWith(`${field.name.toLowerCase()}:`);
      draft.lines = draft.lines.filter(isOther);
      change(draft);
      // The gateway trusts the declared length.
      if (framing.test(field.name)) draft.frame = asItIs;
    },
  };
}

function twisting(place: number, twist: (line: string) => string): Step {
  return {
    isTame: false,
    change({ lines }) {
      const at = placeIn(lines.length - 1, place);
      const line = lines[at];
      if (line !== undefined) lines[at] = twist(line);
    },
  };
}

function removing(place: number): Step {
  return { isTame: true, change: ({ lines }) => void lines.splice(placeIn(lines.length - 1, place), 1) };
}

/** Changes, removes or cuts off bytes anywhere. */
const spoils: fc.Arbitrary<Draft['spoil']> = fc.oneof(
  fc
    .tuple(
      places,
      fc.nat(2),
      fc.constantFrom('', '\0', '\r', '\n', '\r\n', ' ', '\t', ':', '\x7f', '\xff', '{', 'a'),
    )
    .map(([place, over, byte]) => (text: string) => {
      const at = placeIn(text.length, place);
      return text.slice(0, at) + byte + text.slice(at + over);
    }),
  places.map((place) => (text: string) => text.slice(0, placeIn(text.length, place))),
  fc.constant((text: string) => text.slice(0, -1)),
  fc.constant((text: string) => `${text}\r\n`),
);
