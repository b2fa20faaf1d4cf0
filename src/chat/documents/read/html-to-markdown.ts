import { headingPrefix, itemPrefix, type MarkdownWriter } from './markdown-writer.ts';
import { readHtml } from './read-xml.ts';

/** Elements that contain no text for readers. */
const skipped = new Set(
  'title script style template noscript svg math select textarea button object iframe audio video canvas'.split(
    ' ',
  ),
);
const blocks = new Set(
  (
    'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form header ' +
    'hr li main nav ol p section summary td th tr ul caption'
  ).split(' '),
);

interface List {
  /** Number of the next item; undefined for a list without numbers. */
  number: number | undefined;
}

/** Converts a page to Markdown: headings, lists, tables and code. Runs no scripts and loads no references. */
export async function htmlToMarkdown(
  source: AsyncIterable<string> | Iterable<string>,
  writer: MarkdownWriter,
): Promise<void> {
  const lists: List[] = [];
  /** Prefix of the open paragraph. */
  let prefix = '';
  let codeDepth = 0;
  let endsWithSpace = true;
  const end = () => {
    writer.endParagraph(prefix);
    prefix = '';
    endsWithSpace = true;
  };
  await readHtml(source, {
    open: (name, { start, type }) => {
      if (skipped.has(name)) return 'skip';
      if (codeDepth > 0 && name !== 'pre') {
        if (name === 'br') writer.add('\n');
        return undefined;
      }
      if (name === 'br') {
        writer.add('\n');
        endsWithSpace = true;
      } else if (/^h[1-6]$/.test(name)) {
        end();
        prefix = headingPrefix(Number(name[1]));
      } else if (name === 'pre') {
        end();
        codeDepth += 1;
      } else if (name === 'ul' || name === 'ol') {
        end();
        lists.push({ number: name === 'ol' ? Number(start ?? 1) || 1 : undefined });
      } else if (name === 'li') {
        end();
        prefix = nextItem(lists);
      } else if (name === 'input' && type === 'checkbox') {
        writer.add('☐ ');
      } else if (name === 'table') {
        end();
        writer.openTable();
      } else if (blocks.has(name) && !isStartOfItem(prefix, name)) {
        end();
      }
      return undefined;
    },
    text: (text) => {
      if (codeDepth > 0) return writer.add(text);
      let collapsed = text.replaceAll(/[ \t\r\n\f]+/g, ' ');
      if (endsWithSpace) collapsed = collapsed.replace(/^ /, '');
      if (collapsed === '') return undefined;
      endsWithSpace = collapsed.endsWith(' ');
      return writer.add(collapsed);
    },
    close: (name) => {
      if (name === 'pre') {
        codeDepth = Math.max(0, codeDepth - 1);
        if (codeDepth === 0) writer.endCode();
        endsWithSpace = true;
      } else if (codeDepth > 0) {
        return;
      } else if (name === 'td' || name === 'th') {
        end();
        writer.endCell();
      } else if (name === 'tr') {
        writer.endRow();
      } else if (name === 'table') {
        end();
        writer.closeTable();
      } else if (name === 'ul' || name === 'ol') {
        end();
        lists.pop();
      } else if (blocks.has(name) || /^h[1-6]$/.test(name)) {
        end();
      }
    },
  });
  end();
}

function nextItem(lists: readonly List[]): string {
  const list = lists.at(-1);
  if (list?.number === undefined) return itemPrefix(Math.max(0, lists.length - 1));
  list.number += 1;
  return itemPrefix(lists.length - 1, list.number - 1);
}

/** True if a block is the first one of a list item and so has the item's marker. */
function isStartOfItem(prefix: string, name: string): boolean {
  return prefix !== '' && (name === 'p' || name === 'div');
}
