import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * An MCP server over stdio, without a library, that misbehaves as its argument says. It implements just enough of the
 * protocol to reach the point where it misbehaves.
 */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

const [behavior = '', file = ''] = process.argv.slice(2);
const object = { type: 'object' };
const echo = { name: 'echo', description: 'Says it again', inputSchema: object };
let callId: number | undefined;
let hasRenamed = false;

function write(message: unknown): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n`);
}

/** Fills the pipe as fast as the client reads. */
function flood(text: string): void {
  while (process.stdout.write(text));
  process.stdout.once('drain', () => flood(text));
}

function tools(): unknown[] {
  switch (behavior) {
    case 'many':
      return Array.from({ length: 500 }, (_, index) => ({ ...echo, name: `tool ${index}` }));
    case 'too-many':
      return Array.from({ length: 501 }, (_, index) => ({ ...echo, name: `tool ${index}` }));
    case 'odd-names':
      return ['get weather', '🚀', '天気', 'x'.repeat(100), 'mcp__a.b/c'].map((name) => ({
        ...echo,
        name,
      }));
    case 'bad-schemas':
      return [
        echo,
        { name: 'textual', inputSchema: 'nothing' },
        { name: 'wrong', inputSchema: { type: 'object', properties: { a: { type: 'strng' } } } },
        { inputSchema: object },
        { ...echo, description: 'the second echo' },
      ];
    case 'slow-pattern':
      return [
        { ...echo, inputSchema: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
      ];
    case 'costly-schemas':
      return [
        { type: 'string', minLength: 5, maxLength: 2 },
        { type: 'array', minItems: 5000 },
        { type: 'string', pattern: '^((a?){40}){40}$' },
      ].map((a, index) => ({
        ...echo,
        name: `echo ${index}`,
        inputSchema: { type: 'object', properties: { a }, required: ['a'] },
      }));
    case 'changing':
      return hasRenamed ? [echo, { ...echo, name: 'new one' }] : [echo];
    default:
      return [echo];
  }
}

function call({ id, params }: Message): void {
  switch (behavior) {
    case 'hang-at-call':
      callId = id;
      return;
    case 'stream-for-ever':
      return flood(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1000) } })}\n`,
      );
    case 'huge-answer':
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`,
      );
      return flood('x'.repeat(65_536));
    case 'many-values':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":[${'[],'.repeat(20_000)}[]]}\n`);
      return;
    case 'invalid-json':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":\n`);
      return;
    case 'no-result':
      return write({ id, result: { content: 'text' } });
    case 'renamed':
      return write({
        id,
        error: { code: -32_602, message: `Unknown tool: ${String(params?.['name'])}` },
      });
    case 'die-at-call':
      process.stderr.write('out of cheese at /opt/cheese/shop.js\n');
      // oxlint-disable-next-line unicorn/no-process-exit
      process.exit(3);
      return;
    case 'long-text':
      return write({ id, result: { content: [{ type: 'text', text: 'x'.repeat(1_100_000) }] } });
    case 'hang-at-relist':
    case 'changing':
      hasRenamed = true;
      write({ method: 'notifications/tools/list_changed' });
      return write({ id, result: { content: [] } });
    case 'asks-back':
      callId = id;
      return write({ id: 900, method: 'sampling/createMessage', params: {} });
    case 'environment':
      return write({
        id,
        result: { content: [{ type: 'text', text: JSON.stringify(process.env) }] },
      });
    default:
      return write({
        id,
        result: { content: [{ type: 'text', text: JSON.stringify(params?.['arguments']) }] },
      });
  }
}

function answer(message: Message): void {
  const { id, method } = message;
  switch (method) {
    case 'initialize':
      if (behavior === 'hang-at-connect') return;
      return write({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'bad', version: '1' },
        },
      });
    case 'tools/list':
      if (behavior === 'hang-at-list') return;
      if (behavior === 'hang-at-relist' && hasRenamed) return writeFileSync(file, '');
      return write({ id, result: { tools: tools() } });
    case 'tools/call':
      return call(message);
    case 'notifications/cancelled':
      if (file !== '') writeFileSync(file, JSON.stringify({ cancelled: message.params, callId }));
      return;
    case undefined:
      // The client's response to our request.
      if (id === 900) {
        write({
          id: callId,
          result: { content: [{ type: 'text', text: JSON.stringify(message.error) }] },
        });
      }
  }
}

if (behavior === 'exit-at-once') {
  process.stderr.write("Error: Cannot find module '/opt/secret/tool.js'\n");
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(7);
}
if (behavior === 'garbage') {
  process.stdout.write('Welcome!\n{"not": "a message"}\n{]\n\n\u0000\u0001\n');
}
if (behavior === 'endless-garbage') flood(`${'garbage '.repeat(1000)}\n`);
if (behavior === 'stubborn') {
  process.on('SIGTERM', () => {});
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  if (file !== '') writeFileSync(file, JSON.stringify([process.pid, child.pid]));
  // Keeps the process running even after its input is closed.
  setInterval(() => {}, 60_000);
}
createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line) as Message));
