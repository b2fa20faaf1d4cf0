/**
 * Preloaded into a server under test. Reports over TCP the longest time in milliseconds for which the event loop was
 * blocked since the last query. Writes its port to the file that `EVENT_LOOP_PROBE` names.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['EVENT_LOOP_PROBE'];
delete process.env['EVENT_LOOP_PROBE'];
if (isMainThread && file !== undefined) {
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const server = createServer((socket) => {
    const heldMs = delay.max / 1e6 - resolution;
    delay.reset();
    socket.on('error', () => {}).end(String(heldMs));
  });
  server.unref().listen(0, '127.0.0.1', () => writeFileSync(file, String(server.address().port)));
}
