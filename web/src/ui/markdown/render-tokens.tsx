import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { LongText } from '../long-text.tsx';
import { CodeBlock } from './code-block.tsx';
import { decodeEntities } from './decode-entities.ts';
import { MathFormula } from './math-formula.tsx';
import type { DetailsToken, FootnoteReferenceToken, FootnoteToken } from './note-syntax.ts';
import type { PlainToken } from './parse-blocks.ts';
import { safeUrl } from './safe-url.ts';

/** Deeper lists and quotes are shown as plain text. */
const maxDepth = 24;

/** Renders tokens as elements. HTML in the text is shown as text, and nothing is loaded. */
export function renderTokens(tokens: readonly Token[] | undefined, depth = 0): ReactNode {
  return tokens?.map((token, index) => (
    <TokenView key={index} token={token as KnownToken} depth={depth} />
  ));
}

type MathToken = {
  readonly type: 'math' | 'blockMath';
  readonly raw: string;
  readonly text: string;
};
type CheckboxToken = { readonly type: 'checkbox'; readonly raw: string; readonly checked: boolean };
type KnownToken =
  | MathToken
  | PlainToken
  | CheckboxToken
  | DetailsToken
  | FootnoteReferenceToken
  | FootnoteToken
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Tag
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text;

export function TokenView({
  token,
  depth,
  isOpen = false,
}: {
  readonly token: KnownToken;
  readonly depth: number;
  /** True if the token's text may grow. */
  readonly isOpen?: boolean;
}): ReactNode {
  if (depth > maxDepth) return token.raw;
  const inner = (tokens: readonly Token[] | undefined) => renderTokens(tokens, depth + 1);
  switch (token.type) {
    case 'plain':
      return (
        <p className="whitespace-pre-wrap">
          <LongText text={token.raw} />
        </p>
      );
    case 'paragraph':
      return <p>{inner(token.tokens)}</p>;
    case 'heading': {
      // Headings are one level lower, since the page has its own h1.
      const Heading = `h${Math.min(token.depth + 1, 6)}` as 'h2';
      return <Heading>{inner(token.tokens)}</Heading>;
    }
    case 'code':
      return <CodeBlock code={token.text} language={token.lang ?? ''} isOpen={isOpen} />;
    case 'blockquote':
      return <blockquote>{inner(token.tokens)}</blockquote>;
    case 'list':
      return <ListView list={token} depth={depth} />;
    case 'table':
      return <TableView table={token} depth={depth} />;
    case 'hr':
      return <hr />;
    case 'blockMath':
    case 'math':
      return <MathFormula source={token.text} isBlock={token.type === 'blockMath'} />;
    case 'strong':
      return <strong>{inner(token.tokens)}</strong>;
    case 'em':
      return <em>{inner(token.tokens)}</em>;
    case 'del':
      return <del>{inner(token.tokens)}</del>;
    case 'codespan':
      return <code dir="ltr">{token.text}</code>;
    case 'footnoteReference':
      return <sup>[{token.label}]</sup>;
    case 'footnote':
      return (
        <div role="note" className="footnote">
          <sup>[{token.label}]</sup>
          <p>{inner(token.tokens)}</p>
        </div>
      );
    case 'details':
      return (
        <details open={token.isOpen}>
          <summary>{token.summary.length === 0 ? '…' : inner(token.summary)}</summary>
          {inner(token.tokens)}
        </details>
      );
    case 'br':
      return <br />;
    case 'checkbox':
      return (
        <input type="checkbox" checked={token.checked} readOnly disabled aria-label={token.raw} />
      );
    case 'link':
      return <LinkView href={token.href}>{inner(token.tokens)}</LinkView>;
    case 'image':
      // Shown as a link: loading an image from another host would tell the host that the message was read.
      return <LinkView href={token.href}>{token.text === '' ? token.href : token.text}</LinkView>;
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : inner(token.tokens);
    case 'escape':
      return token.text;
    case 'html':
      return token.raw;
    case 'space':
    case 'def':
      return null;
  }
}

function LinkView({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const url = safeUrl(decodeEntities(href));
  if (url === undefined) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function ListView({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} className={classNames(item.task && 'task')}>
      {renderTokens(item.tokens, depth + 1)}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol {...(list.start === '' ? {} : { start: list.start })}>{items}</ol>;
}

const alignClass = {
  start: 'text-start',
  center: 'text-center',
  right: 'text-right',
  left: 'text-left',
};

function TableView({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const align = (index: number) => alignClass[table.align[index] ?? 'start'];
  return (
    <div
      className="table-scroll"
      tabIndex={0}
      role="group"
      aria-label={table.header.map(({ text }) => text).join(', ')}
    >
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} className={align(index)} scope="col">
                {renderTokens(cell.tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td key={index} className={align(index)}>
                  {renderTokens(cell.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
