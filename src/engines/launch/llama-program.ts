import { requestCapabilities } from '../backends/llama-server/capabilities.ts';
import { createEngineSlots } from '../backends/llama-server/engine-slots.ts';
import { createLlamaEngine } from '../backends/llama-server/llama-engine.ts';
import type { EngineProgram } from './launch.ts';
import { buildServerArguments } from './server-arguments.ts';

/** llama-server, or the wheel's launcher in its place. */
export const llamaProgram: EngineProgram = {
  buildArguments: buildServerArguments,
  buildVariables: () => ({}),
  requestCapabilities: (connection, { runtime }, signal) =>
    requestCapabilities(connection, runtime, signal),
  createEngine: (connection, { contextLength, speculation }) =>
    createLlamaEngine(connection, { contextLength, speculates: speculation !== undefined }),
  createSlots: (connection) => createEngineSlots(connection),
};
