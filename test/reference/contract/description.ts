import { expect } from 'vitest';
import * as z from 'zod';
import type { WireResponse } from '../../support/wire.ts';

interface Node {
  [name: string]: Node | Node[] | string | number | boolean | undefined;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const under = (node: unknown, name: string | number): unknown => (isNode(node) ? node[name] : undefined);

/** Checks responses against the API's own OpenAPI description. */
export class Description {
  readonly document: Node;
  readonly #compiled = new Map<string, z.ZodType>();

  constructor(document: Node) {
    this.document = document;
  }

  /** Fails unless the document describes the response: its status, header fields, type and body. */
  expectFit(method: string, target: string, received: WireResponse): void {
    const where = `${method} ${target.slice(0, 80)} → ${received.status}`;
    const response = this.#responseFor(method, target, received.status);
    expect(isNode(response), `${where} is described`).toBe(true);
    this.#expectHeaders(under(response, 'headers'), received, where);
    const type = String(received.headers['content-type']);
    const schema = under(under(under(response, 'content'), type), 'schema');
    expect(isNode(schema), `${where} has the described type, not ${type}`).toBe(true);
    if (method !== 'HEAD') this.#expectValid(schema, JSON.parse(received.body), where);
  }

  #responseFor(method: string, target: string, status: number): unknown {
    const path = target.split('?')[0] ?? '';
    const paths = under(this.document, 'paths');
    const name = Object.keys(isNode(paths) ? paths : {}).find((template) =>
      new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    // Unknown addresses and other methods are described with the readable resources.
    const item = under(paths, name ?? '/v1/site/{id}');
    const operation = under(item, method.toLowerCase()) ?? under(item, 'get');
    return this.#resolve(under(under(operation, 'responses'), status));
  }

  #expectHeaders(headers: unknown, response: WireResponse, where: string): void {
    expect(isNode(headers), where).toBe(true);
    for (const [name, reference] of Object.entries(isNode(headers) ? headers : {})) {
      const header = this.#resolve(reference);
      const value = response.headers[name.toLowerCase()];
      const isOutside = !/^\/v1\//.test(where.split(' ')[1] ?? '');
      if (value !== undefined) this.#expectValid(under(header, 'schema'), value, `${where}, ${name}`);
      else expect(under(header, 'required') === true && !isOutside, `${where} lacks ${name}`).toBe(false);
    }
    const described = isNode(headers) ? Object.keys(headers).map((name) => name.toLowerCase()) : [];
    const transport = [
      'content-type',
      'content-length',
      'date',
      'connection',
      'keep-alive',
      'transfer-encoding',
    ];
    for (const name of Object.keys(response.headers))
      expect([...described, ...transport], where).toContain(name);
  }

  #expectValid(schema: unknown, value: unknown, where: string): void {
    const text = JSON.stringify(schema);
    const compiled = this.#compiled.get(text) ?? this.#compile(schema);
    this.#compiled.set(text, compiled);
    expect(compiled.safeParse(value).error?.issues ?? [], where).toEqual([]);
  }

  /** The published schemas allow further fields; here they are a fault. */
  #compile(schema: unknown): z.ZodType {
    const $defs = closed(this.#at('#/components/schemas'));
    const text = JSON.stringify({ ...(schema as object), $defs });
    return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
  }

  #resolve(node: unknown): unknown {
    const reference = under(node, '$ref');
    return typeof reference === 'string' ? this.#at(reference) : node;
  }

  #at(pointer: string): unknown {
    return pointer.split('/').slice(1).reduce<unknown>(under, this.document);
  }
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isNode(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' && schema.properties ? { ...inner, additionalProperties: false } : inner;
}
