/** Starts an engine and waits to be killed; run by `process.test.ts`. */
import { createEngineLauncher } from '../../src/engine/launch/engine-launcher.ts';
import type { LaunchSpec } from '../../src/engine/launch/launch.ts';
import { createLogger } from '../../src/observability/logger.ts';

const [watchdogPath = '', specJson = ''] = process.argv.slice(2);
const launcher = createEngineLauncher({
  logger: createLogger('silent'),
  watchdogPath,
  environment: process.env,
});
const spec = JSON.parse(specJson) as LaunchSpec;
const engine = await launcher.launch(spec, new AbortController().signal);
process.stdout.write(`${engine.pid}\n`);
