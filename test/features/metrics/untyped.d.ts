/** The types that this library lacks, as far as the tests need them. */

declare module 'parse-prometheus-text-format' {
  function parse(text: string): parse.Family[];
  namespace parse {
    interface Family {
      name: string;
      type: string;
      metrics: { value: string; labels?: Record<string, string> }[];
    }
  }
  export = parse;
}
