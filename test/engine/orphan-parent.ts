/** Starts an engine and waits to be killed; run by `process.test.ts`. */
import { createEngineLauncher } from '../../src/engines/launch/engine-launcher.ts';
import type { LaunchSpec } from '../../src/engines/launch/launch.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createWatchdogLink } from '../../src/platform/processes/watchdog-link.ts';

const [watchdogPath = '', specJson = ''] = process.argv.slice(2);
const logger = createLogger('silent');
const launcher = createEngineLauncher({
  logger,
  watchdog: createWatchdogLink(watchdogPath, logger),
  environment: process.env,
  availableBytes: () => Infinity,
});
const spec = JSON.parse(specJson) as LaunchSpec;
const engine = await launcher.launch(spec, new AbortController().signal);
process.stdout.write(`${engine.pid}\n`);
