import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Terminal } from '../src/cli/ui/terminal.ts';
import { connectEngine } from '../src/platform/net/engine-connection.ts';
import { measurements } from './measurements/all.ts';
import type { Bench } from './measurements/measurement.ts';
import type { BenchOptions } from './options.ts';
import { describeSurroundings, writeJson, writeReport } from './report.ts';
import type { Row } from './row.ts';
import { createBareSubject, starterModelPath, type BareModel } from './subjects/bare-subject.ts';
import { createForeignSubject } from './subjects/foreign-subject.ts';
import { prepareDefaultServers } from './subjects/default-servers.ts';
import { importModel, startHearth } from './subjects/hearth-process.ts';
import { createHearthSubject, kindOf, type ModelKeys } from './subjects/hearth-subject.ts';
import { findRuntime, type BenchRuntime } from './subjects/runtime.ts';
import type { Subject } from './subjects/subject.ts';
import { measureStartUp } from './start-up.ts';
import { timeStart } from './time-start.ts';

const starterKeys: ModelKeys = { chat: 'hearth/starter-chat', embeddings: 'hearth/starter-embed' };

/** Starts both servers, runs the measurements, prints the results, and cleans up. */
export async function runBench(
  options: BenchOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
    cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
    const runtime = await findRuntime(process.env, signal);
    const bench = await prepare(options, home, runtime, cleanups, signal);

    const rows: Row[] = [];
    for (const name of options.only) {
      terminal.messages.line(`measuring: ${name}`);
      rows.push(...(await measurements[name](bench)));
    }
    const model = options.model === undefined ? 'starter models' : basename(options.model);
    const surroundings = describeSurroundings(runtime.runtime, model, options);
    const results = { surroundings, against: bench.other.name, rows };
    if (options.isJson) await writeJson(terminal, options, results);
    else writeReport(terminal, results);
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

async function prepare(
  options: BenchOptions,
  home: string,
  { runtime, folder }: BenchRuntime,
  cleanups: (() => Promise<unknown>)[],
  signal: AbortSignal,
): Promise<Bench> {
  const { threads, parallel, profile, against, againstModel } = options;
  const file = options.model === undefined ? undefined : resolve(options.model);
  const imported = file === undefined ? undefined : await importModel(home, file, signal);
  const settings = { runtimesFolder: folder, threads, parallel };
  const server = await startHearth({ ...settings, home, profile }, signal);
  cleanups.push(() => server.stop());
  const keys = await replaceStarter(server.url, imported, signal);
  const hearth = await createHearthSubject(server, keys, signal);
  cleanups.push(() => hearth.close());

  const { chat, embeddings } = hearth.configurations;
  const pathOf = (kind: keyof ModelKeys, name: 'chat' | 'embed'): string =>
    file !== undefined && keys[kind] === imported ? file : starterModelPath(name);
  const models: Record<keyof ModelKeys, BareModel> = {
    chat: { path: pathOf('chat', 'chat'), purpose: 'generation', config: chat },
    embeddings: { path: pathOf('embeddings', 'embed'), purpose: 'embedding', config: embeddings },
  };
  const other: Subject =
    against === undefined
      ? await createBareSubject(runtime, threads, models, signal)
      : await createForeignSubject(against, againstModel, signal);
  cleanups.push(() => other.close());
  return {
    options,
    hearth,
    other,
    timeStart: timeStart(runtime, settings, starterKeys.chat, signal),
    prepareDefaults: () => prepareDefaultServers(runtime, folder, models.chat.path, signal),
    startUp: () => measureStartUp(settings, signal),
    isStarter: keys.chat === starterKeys.chat,
    signal,
  };
}

/** The keys of the starter models, or of the given model instead of the starter model of its type. */
async function replaceStarter(
  url: string,
  key: string | undefined,
  signal: AbortSignal,
): Promise<ModelKeys> {
  if (key === undefined) return starterKeys;
  const connection = connectEngine({ address: { origin: url }, maxConnections: 1 });
  try {
    return { ...starterKeys, [await kindOf(connection, key, signal)]: key };
  } finally {
    await connection.close();
  }
}
