import { describe, expect, it } from 'vitest';
import { parsePluginFile, PluginFileError } from './plugin-file.ts';

function parse(servers: unknown) {
  return parsePluginFile(JSON.stringify({ mcpServers: servers }));
}

// covers server-8
it('parses commands and URLs, and ignores the keys of other programs', () => {
  const entries = parse({
    files: {
      command: 'node',
      args: ['a.js'],
      env: { A: 'b' },
      cwd: '/tmp',
      disabled: false,
      timeoutSeconds: 90,
    },
    'my.web-1': { type: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } },
  });
  expect(entries.get('files')).toEqual({
    type: 'process',
    command: 'node',
    arguments: ['a.js'],
    environment: { A: 'b' },
    workingFolder: '/tmp',
    timeoutMs: 90_000,
  });
  expect(entries.get('my.web-1')).toMatchObject({ type: 'http', headers: { 'X-Key': 'k' } });
});

it('parses a file with a byte order mark', () => {
  const content = `\uFEFF${JSON.stringify({ mcpServers: { files: { command: 'node' } } })}`;
  expect(parsePluginFile(content).get('files')).toMatchObject({ command: 'node' });
});

it('has no plugins if the file lists none', () => {
  expect(parsePluginFile('{}').size).toBe(0);
});

describe('a file that cannot be used', () => {
  it.each([
    ['{', 'mcp.json is not valid JSON'],
    ['[]', 'mcp.json must be an object'],
    ['{"mcpServers": []}', 'mcp.json.mcpServers must be an object'],
  ])('%s', (content, message) => {
    expect(() => parsePluginFile(content)).toThrow(PluginFileError);
    expect(() => parsePluginFile(content)).toThrow(message);
  });
});

describe('an entry that cannot be used', () => {
  it.each([
    ['x', 'text', 'mcpServers.x must be an object'],
    ['x', {}, 'mcpServers.x must have either command or url'],
    ['x', { command: 'a', url: 'http://b' }, 'mcpServers.x must have either command or url'],
    ['x', { command: 'a\0' }, 'mcpServers.x.command must not hold the character NUL'],
    ['x', { command: 'a', args: ['\0'] }, 'mcpServers.x.args[0] must not hold'],
    ['x', { command: 'a', env: { 'B=C': '' } }, 'must be the name of a variable'],
    ['x', { command: '' }, 'mcpServers.x.command must not be empty'],
    ['x', { command: 'a', args: 'b' }, 'mcpServers.x.args must be a list of texts'],
    ['x', { command: 'a', args: ['b', 1] }, 'mcpServers.x.args[1] must be a text'],
    ['x', { command: 'a', env: { B: 1 } }, 'mcpServers.x.env.B must be a text'],
    ['x', { command: 'a', timeoutSeconds: 0 }, 'must be a whole number from 1 to 3600'],
    ['x', { url: 'ftp://a' }, 'mcpServers.x.url must be an http or https URL'],
    ['x', { url: 'http://a', headers: { 'a b': '' } }, 'must be the name of a header'],
    [
      'x',
      { url: 'http://a', headers: { a: 'b\r\nc: d' } },
      'mcpServers.x.headers.a must be one line',
    ],
    ['a b', { command: 'a' }, 'the label "a b" must be up to 64 letters'],
    ['', { command: 'a' }, 'must be up to 64 letters'],
    ['speech-script', { command: 'a' }, "has the name of a plugin of Hearth's own"],
  ])('%s: %j', (label, entry, fault) => {
    const entries = parse({ [label]: entry, good: { command: 'a' } });
    expect(entries.get(label)).toMatchObject({
      type: 'faulty',
      fault: expect.stringContaining(fault),
    });
    expect(entries.get('good')).toMatchObject({ type: 'process' });
  });
});
