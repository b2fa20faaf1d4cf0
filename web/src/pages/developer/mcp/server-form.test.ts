import { expect, it } from 'vitest';
import { withTexts } from '../../../texts/load-texts.ts';

const { emptyServerForm, serverFormErrors, toServerForm, toServerRequest } = await withTexts(
  ['developer'],
  () => import('./server-form.ts'),
)();

it('keeps an entry that is edited, also its redacted secrets', () => {
  const server = {
    label: 'files',
    id: 'mcp/files',
    type: 'process',
    command: 'npx',
    args: ['-y', 'server with space'],
    env: { KEY: '[redacted]' },
  } as const;
  const form = toServerForm({ ...server, args: [...server.args] });
  expect(serverFormErrors(form)).toEqual({});
  expect(toServerRequest(form)).toEqual({
    command: 'npx',
    args: ['-y', 'server with space'],
    env: { KEY: '[redacted]' },
  });
});

it('sends a URL with headers only for a service', () => {
  const form = { ...emptyServerForm, label: 'a.b', kind: 'http', command: 'ignored' } as const;
  const full = { ...form, url: ' https://tools.test/mcp ', headers: 'X-Key = 1=2' };
  expect(serverFormErrors(full)).toEqual({});
  expect(toServerRequest(full)).toEqual({
    url: 'https://tools.test/mcp',
    headers: { 'X-Key': '1=2' },
  });
});

it('explains what is missing or wrong', () => {
  expect(Object.keys(serverFormErrors(emptyServerForm))).toEqual(['label', 'command']);
  const form = {
    ...emptyServerForm,
    label: '.a',
    kind: 'http',
    url: 'ftp://x',
    headers: 'no',
  } as const;
  expect(Object.keys(serverFormErrors(form))).toEqual(['label', 'url', 'headers']);
});
