import { build } from 'esbuild';
import { freemem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Engine, GenerationEvent, GenerationRequest } from '../../../src/engines/engine.ts';
import {
  createEngineLauncher,
  type EngineLauncherOptions,
} from '../../../src/engines/launch/engine-launcher.ts';
import type {
  EngineLauncher,
  EngineProcess,
  LaunchSpec,
} from '../../../src/engines/launch/launch.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createWatchdogLink } from '../../../src/platform/processes/watchdog-link.ts';
import { projectFolder } from '../project-folder.ts';
import { makeFolder, removeFolder } from '../temporary-folder.ts';
import { testRuntime } from './shared-runtimes.ts';
import { testContext } from '../test-context.ts';

export type StarterModel = 'chat' | 'vision' | 'embed';

/** Real engines for tests; `close` stops them all. */
export interface TestEngines {
  readonly launcher: EngineLauncher;
  launch(model: StarterModel, overrides?: Partial<LaunchSpec>): Promise<EngineProcess>;
  close(): Promise<void>;
}

export function starterPath(model: StarterModel): string {
  return join(projectFolder, 'models', 'starter', `starter-${model}`, `starter-${model}-q8_0.gguf`);
}

export function starterProjectorPath(): string {
  return join(dirname(starterPath('vision')), 'mmproj-starter-vision-f16.gguf');
}

export async function starterSpec(
  model: StarterModel,
  overrides: Partial<LaunchSpec> = {},
): Promise<LaunchSpec> {
  return {
    runtime: await testRuntime(),
    modelPath: starterPath(model),
    ...(model === 'vision' ? { projectorPath: starterProjectorPath() } : {}),
    purpose: model === 'embed' ? 'embedding' : 'generation',
    contextLength: model === 'embed' ? 512 : 2048,
    parallel: 1,
    threads: 1,
    promptCacheMiB: 16,
    loadTimeoutMs: 30_000,
    ...overrides,
  };
}

/** Bundles a TypeScript file into a folder, because Node 20 can't run it. @returns The path of the script. */
export async function bundleScript(source: string, folder: string): Promise<string> {
  const path = join(folder, `${basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [join(projectFolder, source)],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Bundled CommonJS packages need `require`.
    banner: {
      js: "import { createRequire as createTestRequire } from 'node:module'; const require = createTestRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return path;
}

export async function createTestEngines(
  options: Partial<EngineLauncherOptions> = {},
): Promise<TestEngines> {
  const folder = await makeFolder();
  const script = await bundleScript('src/platform/processes/watchdog.ts', folder);
  const logger = createLogger('silent');
  const watchdog = createWatchdogLink(script, logger);
  const launcher = createEngineLauncher({
    logger,
    watchdog,
    environment: process.env,
    availableBytes: freemem,
    ...options,
  });
  return {
    launcher,
    launch: async (model, overrides) =>
      launcher.launch(await starterSpec(model, overrides), new AbortController().signal),
    close: async () => {
      await launcher.close();
      await watchdog.close();
      await removeFolder(folder);
    },
  };
}

export interface Generated {
  readonly events: readonly GenerationEvent[];
  readonly reasoning: string;
  readonly content: string;
  readonly end: Extract<GenerationEvent, { type: 'generation.end' }>;
}

/** Runs a generation to its end. */
export async function generateAll(
  engine: Engine,
  request: GenerationRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Generated> {
  const events: GenerationEvent[] = [];
  for await (const event of engine.generate(request, testContext({ signal }))) events.push(event);
  const end = events.at(-1);
  if (end?.type !== 'generation.end') throw new Error('the generation has no last event');
  const textOf = (type: 'reasoning.delta' | 'content.delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return { events, reasoning: textOf('reasoning.delta'), content: textOf('content.delta'), end };
}
