/*
 * In place of the module of the MCP SDK with its copy of Ajv, which checks what a user enters at the request
 * of a tool. No tool of ours makes such a request.
 */

export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {}
