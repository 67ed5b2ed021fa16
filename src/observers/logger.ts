/** Writes lines of the log, of which none holds a key. Where logs are off, nothing is written. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(line: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const noLogger: Logger = { info() {}, warn() {}, error() {} };
