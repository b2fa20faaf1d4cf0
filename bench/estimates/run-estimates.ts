import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Terminal } from '../../src/cli/ui/terminal.ts';
import { v1ModelListSchema } from '../../src/api/v1/models/model-schema.ts';
import { connectEngine } from '../../src/platform/net/engine-connection.ts';
import type { BenchOptions } from '../options.ts';
import { describeSurroundings, writeJson } from '../report.ts';
import { importModel, startHearth, type HearthProcessOptions } from '../subjects/hearth-process.ts';
import { findRuntime } from '../subjects/runtime.ts';
import { writeEstimates } from './estimate-report.ts';
import { loadShapes, type ShapesOfType } from './load-shapes.ts';
import { measureEstimate, type EstimateRow } from './measure-estimate.ts';

const maxConnections = 16;

/**
 * Compares Hearth's memory estimates with the measured memory: loads the starter models and the given files with many
 * settings, and fills every slot.
 */
export async function runEstimates(
  options: BenchOptions,
  files: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  try {
    const { runtime, folder } = await findRuntime(process.env, signal);
    for (const file of files) await importModel(home, resolve(file), signal);
    const { threads, parallel, profile } = options;
    const settings = { home, runtimesFolder: folder, threads, parallel, profile };
    const rows: EstimateRow[] = [];
    for (const shapes of loadShapes(options.isQuick)) {
      const report = (row: EstimateRow): void => {
        rows.push(row);
        terminal.messages.line(`measured: ${row.model}, ${row.contextLength} × ${row.parallel}`);
      };
      await measureType(settings, shapes, report, signal);
    }
    const surroundings = describeSurroundings(runtime, 'memory estimates', options);
    const results = { surroundings, estimates: rows };
    if (options.isJson) await writeJson(terminal, options, results);
    else writeEstimates(terminal, results);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Measures one type of KV cache, which is a setting of the server. */
async function measureType(
  settings: HearthProcessOptions,
  { kvCacheType, shapes }: ShapesOfType,
  report: (row: EstimateRow) => void,
  signal: AbortSignal,
): Promise<void> {
  const flags = [`--engine-kv-type=${kvCacheType}`];
  const server = await startHearth({ ...settings, flags }, signal);
  const connection = connectEngine({ address: { origin: server.url }, maxConnections });
  try {
    const { body } = await connection.getJson('/api/v1/models', signal);
    const { models } = v1ModelListSchema.parse(body);
    for (const { key, type, max_context_length: longest } of models) {
      // Encoders have no cache, so its type makes no difference.
      if (type === 'embedding' && kvCacheType !== 'f16') continue;
      for (const shape of shapes.filter(({ contextLength }) => contextLength <= longest)) {
        report(await measureEstimate(connection, key, shape, kvCacheType, signal));
      }
    }
  } finally {
    await connection.close();
    await server.stop();
  }
}
