import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { apiIndex, apiPages } from './api-pages.mjs';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const document = JSON.parse(await readFile(file, 'utf8'));
const pages = apiPages(document);
const page = (path) => pages.find((each) => each.path === path).text;

it('has every operation once', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `## ${method.toUpperCase()} ${path}`),
  );
  const headings = pages.flatMap(({ text }) => [...text.matchAll(/^## [A-Z]+ .*$/gm)]);
  const unescaped = headings.map(([heading]) => heading.replaceAll('\\', ''));
  expect(unescaped).toHaveLength(operations.length);
  expect(new Set(unescaped)).toEqual(new Set(operations));
});

it('links types to a schema of the same page, and pages to others that exist', () => {
  const index = apiIndex(document, pages);
  for (const { path } of pages) expect(index).toContain(`(${path.replace('reference/', '')})`);
  const broken = pages.flatMap(({ path, text }) => {
    const anchors = new Set(
      [...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name.toLowerCase()),
    );
    const links = [...text.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor);
    return links.filter((anchor) => !anchors.has(anchor)).map((anchor) => `${path}#${anchor}`);
  });
  expect(broken).toEqual([]);
});

it('shows parameters, limits, fields of inner objects, a command and the errors', () => {
  const chat = page('reference/v1-chat.md');
  expect(chat).toContain('**Body:** `application/json`, [ChatRequest](#chatrequest)');
  expect(chat).toContain('| `model` (required) | string (1 to 512 characters) |');
  expect(chat).toContain('| `temperature` | number (0 to 1) or null | Randomness of the answer; 0');
  expect(chat).toContain('curl http://127.0.0.1:1234/api/v1/chat --json \'{\n  "model"');
  expect(chat).toMatch(/\*\*\[Errors\]\(\.\.\/errors\.md\):\*\* 400 `wrong_model_type`, .*; 401 /);
  expect(page('reference/openai-files.md')).toContain('--form file=@FILE --form purpose=batch');
});
