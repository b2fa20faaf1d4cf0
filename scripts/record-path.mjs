// Records which source files run for one warm chat, and writes them into ARCHITECTURE.md; with --check, fails if the page differs.
// The server of dist/ runs with V8's precise coverage; the source maps of the build lead to the files. Needs `npm run build`.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'undici';
import { format } from 'oxfmt';

const root = join(import.meta.dirname, '..');
const page = join(root, 'ARCHITECTURE.md');
const model = 'hearth/starter-chat';
const path = '/api/v1/chat';
const body = JSON.stringify({ model, input: 'Hello!' });
/** Requests before the recorded ones. */
const warmUps = 2;
/** Functions that run in this time, without requests, belong to timers. */
const idleMs = 6000;
/** Time for work after the response, such as the log line and the usage, which is written once a second. */
const settleMs = 1500;
const marks = ['<!-- generated: path -->', '<!-- end -->'];

/** Output of the server so far, by stream. */
const seen = new Map();

const recorded = await record();
const text = await readFile(page, 'utf8');
if (process.argv.includes('--check')) compare();
else {
  await writeFile(page, await withBlock(text, recorded));
  console.log(`Wrote ARCHITECTURE.md: ${recorded.length} files.`);
}

/** Ignores the order: for functions that ran before the first chat, it is unknown. */
function compare() {
  const listed = [...blockOf(text).matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, file]) => file);
  const missing = recorded.filter((file) => !listed.includes(file));
  const extra = listed.filter((file) => !recorded.includes(file));
  if (missing.length + extra.length === 0) return;
  console.error('The path of a chat in ARCHITECTURE.md is out of date. Run: npm run record-path');
  for (const file of missing) console.error(`  not listed: ${file}`);
  for (const file of extra) console.error(`  does not run: ${file}`);
  process.exitCode = 1;
}

/** Returns the files in the order of their first call. */
async function record() {
  const home = await mkdtemp(join(tmpdir(), 'hearth-path-'));
  const start = `import(${JSON.stringify(join(root, 'dist/index.js'))}).then(async ({ startServer }) => {
    const { url } = await startServer({ home: ${JSON.stringify(home)}, environment: process.env, flags: { 'server.port': 0 } });
    console.log('listening on ' + url);
  })`;
  const log = join(home, 'v8.log');
  const flags = ['--log-function-events', `--logfile=${log}`, '--no-logfile-per-isolate'];
  const options = { cwd: root };
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ...flags, '-e', start], options);
  let coverage;
  let startedAt;
  try {
    const url = await lineOf(child.stdout, /listening on (http:\S+)/);
    const inspector = await connect(await lineOf(child.stderr, /(ws:\/\/\S+)/, child));
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    startedAt = Math.max(...(await readFirstCalls(log)).values());
    for (let count = 0; count < warmUps; count += 1) await chat(url);
    await new Promise((done) => setTimeout(done, settleMs));
    await inspector.send('Profiler.takePreciseCoverage');
    await new Promise((done) => setTimeout(done, idleMs));
    const idle = new Set(functionsOf(await takeCoverage(inspector)).map(({ key }) => key));
    const first = new Set((await coverageOfChat(inspector, url)).map(({ key }) => key));
    // Keeps functions that run in both chats, since a timer may fire during one of them.
    coverage = (await coverageOfChat(inspector, url)).filter(
      ({ key }) => first.has(key) && !idle.has(key),
    );
    inspector.close();
    await stop(child);
    return await toFiles(coverage, await readFirstCalls(log), startedAt);
  } finally {
    await stop(child);
    await rm(home, { recursive: true, force: true });
  }
}

async function coverageOfChat(inspector, url) {
  await chat(url);
  await new Promise((done) => setTimeout(done, settleMs));
  return functionsOf(await takeCoverage(inspector));
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await new Promise((done) => child.once('exit', done));
}

/** Reads the times of first calls, by script and offset, from V8's log of function events. */
async function readFirstCalls(log) {
  const calls = new Map();
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    const [event, kind, script, start, , , time] = line.split(',');
    if (event === 'function' && kind === 'first-execution') {
      calls.set(`${script}:${start}`, Number(time));
    }
  }
  return calls;
}

async function chat(url) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The chat failed with ${response.status}: ${answer}`);
}

/** Finds the first match in the output of a process. */
function lineOf(stream, pattern) {
  return new Promise((done, fail) => {
    let output = seen.get(stream) ?? '';
    const search = () => {
      seen.set(stream, output);
      const match = pattern.exec(output);
      if (match !== null) done(match[1]);
    };
    stream.on('data', (data) => {
      output += data;
      search();
    });
    stream.once('end', () => fail(new Error(`The server did not start: ${output}`)));
    search();
  });
}

async function connect(url) {
  const socket = new WebSocket(url);
  await new Promise((done, fail) => {
    socket.addEventListener('open', done, { once: true });
    socket.addEventListener('error', fail, { once: true });
  });
  const waiting = new Map();
  let id = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  return {
    send: (method, params = {}) =>
      new Promise((done) => {
        id += 1;
        waiting.set(id, done);
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}

async function takeCoverage(inspector) {
  return (await inspector.send('Profiler.takePreciseCoverage')).result.result;
}

/** The functions of the build that were called. */
function functionsOf(scripts) {
  return scripts.flatMap(({ scriptId, url, functions }) => {
    const script = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!script.startsWith(join(root, 'dist'))) return [];
    return functions
      .map(({ ranges: [{ startOffset, count }] }) => ({ startOffset, count }))
      .filter(({ startOffset, count }) => count > 0 && startOffset > 0)
      .map(({ startOffset }) => ({ key: `${scriptId}:${startOffset}`, script, startOffset }));
  });
}

/** The files of functions, in the order of their first call in the first chat; functions without one come last. */
async function toFiles(functions, firstCalls, startedAt) {
  const maps = new Map();
  const found = new Map();
  for (const { key, script, startOffset } of functions) {
    if (!maps.has(script)) maps.set(script, await readMap(script));
    const source = maps.get(script)(startOffset);
    if (source === undefined) continue;
    const time = firstCalls.get(key) ?? 0;
    const order = time > startedAt ? time : Infinity;
    found.set(source, Math.min(order, found.get(source) ?? Infinity));
  }
  return [...found.keys()].toSorted(
    (one, other) => found.get(one) - found.get(other) || one.localeCompare(other),
  );
}

/** Finds the source file of an offset in a bundle. */
async function readMap(script) {
  const map = new SourceMap(
    JSON.parse(
      await readFile(`${script}.map`, 'utf8').catch(
        () => '{"version":3,"sources":[],"mappings":""}',
      ),
    ),
  );
  const code = await readFile(script, 'utf8');
  const lines = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) lines.push(at + 1);
  return (offset) => {
    const line = lines.findLastIndex((start) => start <= offset);
    // The name of a function may have a mapping of its own, before which there may be none.
    const { originalSource } = map.findEntry(line, offset - lines[line]);
    if (originalSource === undefined) return undefined;
    const source = relative(root, resolve(dirname(script), originalSource));
    return source.startsWith('src/') ? source : undefined;
  };
}

function blockOf(before) {
  const [open, close] = marks;
  const start = before.indexOf(open);
  const end = before.indexOf(close, start);
  if (start === -1 || end === -1) throw new Error(`ARCHITECTURE.md has no block ${open}`);
  return before.slice(start, end);
}

/** Replaces the generated block. */
async function withBlock(before, files) {
  const modules = new Map();
  for (const file of files) {
    modules.set(moduleOf(file), [...(modules.get(moduleOf(file)) ?? []), file]);
  }
  const lines = [...modules].map(
    ([name, names]) => `- **${name}**: ${names.map((each) => `\`${each}\``).join(', ')}`,
  );
  const block = `${marks[0]}\n\n${files.length} files:\n\n${lines.join('\n')}\n\n`;
  const options = JSON.parse(await readFile(join(root, '.oxfmtrc.json'), 'utf8'));
  const { code } = await format('ARCHITECTURE.md', before.replace(blockOf(before), block), options);
  return code;
}

/** `src/chat/run-turn.ts` → `chat`; a file directly in `src` → `src`. */
function moduleOf(file) {
  const [folder, name, ...rest] = file.split('/');
  return rest.length === 0 ? folder : name;
}
