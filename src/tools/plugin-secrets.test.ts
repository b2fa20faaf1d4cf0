import { describe, expect, it } from 'vitest';
import { MissingSecretError, redactUrl, restoreSecrets } from './plugin-secrets.ts';

it.each([
  ['https://wiki.example/mcp', 'https://wiki.example/mcp'],
  ['https://ada:pass@wiki.example/mcp', 'https://[redacted]@wiki.example/mcp'],
  ['https://wiki.example/mcp?key=a=b&x=2', 'https://wiki.example/mcp?key=[redacted]&x=[redacted]'],
  ['https://wiki.example/a@b?c=d?e=f#g', 'https://wiki.example/a@b?c=[redacted]#[redacted]'],
])('shows %s as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});

describe('restoreSecrets', () => {
  const present = { command: 'a', env: { KEY: 'secret', OLD: 'x' }, disabled: true, type: 'stdio' };

  it('keeps redacted values and the keys of other programs', () => {
    const entry = { command: 'b', env: { KEY: '[redacted]', NEW: 'y' } };
    expect(restoreSecrets(entry, present)).toEqual({
      command: 'b',
      env: { KEY: 'secret', NEW: 'y' },
      disabled: true,
    });
  });

  it('keeps a redacted URL', () => {
    const url = 'https://ada:pass@wiki.example?key=secret';
    const shown = redactUrl(new URL(url).href);
    expect(restoreSecrets({ url: shown }, { url })).toEqual({ url });
    const moved = shown.replace('wiki.example', 'evil.example');
    expect(() => restoreSecrets({ url: moved }, { url })).toThrow(MissingSecretError);
  });

  it.each([
    [{ env: { OTHER: '[redacted]' } }, 'env.OTHER is [redacted]'],
    [{ headers: { KEY: '[redacted]' } }, 'headers.KEY is [redacted]'],
    [{ env: { constructor: '[redacted]' } }, 'env.constructor is [redacted]'],
  ])('rejects %j', (entry, message) => {
    expect(() => restoreSecrets(entry, present)).toThrow(message);
  });
});
