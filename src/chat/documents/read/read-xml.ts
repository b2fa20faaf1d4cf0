import { Parser } from 'htmlparser2';
import { DocumentError } from './document.ts';

export type Attributes = Readonly<Record<string, string | undefined>>;

export interface XmlHandler {
  /** Called at the start of an element; `skip` leaves out its content and its end. */
  readonly open?: (name: string, attributes: Attributes) => 'skip' | void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

type Source = AsyncIterable<string> | Iterable<string>;

const maxDepth = 2000;

/**
 * Reads XML. Prefixes of element and attribute names are removed; of attributes that then have the same name (`id` and
 * `r:id`), the prefixed one wins. The parser ignores document types: it expands no custom entities and loads nothing.
 *
 * @throws DocumentError if elements are nested too deeply.
 */
export function readXml(source: Source, handler: XmlHandler): Promise<void> {
  return parse(source, { xmlMode: true }, handler.close, handler.text, (name, attributes) =>
    handler.open?.(localName(name), localNames(attributes)),
  );
}

/** Reads HTML or XHTML, with names in lower case. */
export function readHtml(source: Source, handler: XmlHandler): Promise<void> {
  const options = { recognizeSelfClosing: true };
  return parse(source, options, handler.close, handler.text, handler.open);
}

async function parse(
  source: Source,
  options: { readonly xmlMode?: boolean; readonly recognizeSelfClosing?: boolean },
  close: XmlHandler['close'],
  text: XmlHandler['text'],
  open: XmlHandler['open'],
): Promise<void> {
  let depth = 0;
  /** Depth of the skipped element. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > maxDepth)
          throw new DocumentError(
            `is nested more than ${maxDepth} levels deep. Copy its text into a new file.`,
          );
        if (depth < skippedFrom && open?.(name, attributes) === 'skip') skippedFrom = depth;
      },
      onclosetag: (name) => {
        if (depth < skippedFrom) close?.(localName(name));
        if (depth === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
        depth -= 1;
      },
      ontext: (data) => {
        if (depth < skippedFrom) text?.(data);
      },
    },
    options,
  );
  for await (const piece of source) parser.write(piece);
  parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function localNames(attributes: Attributes): Attributes {
  const names = Object.keys(attributes);
  const prefixed = names.filter((name) => name.includes(':') && !name.startsWith('xmlns:'));
  if (prefixed.length === 0) return attributes;
  const renamed = prefixed.map((name) => [localName(name), attributes[name]]);
  return { ...attributes, ...Object.fromEntries(renamed) };
}
