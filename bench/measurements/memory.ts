import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { toRow, type Row } from '../row.ts';
import type { Measurement } from './measurement.ts';

const megabyte = 1e6;

/** Measures resident memory after all earlier measurements. */
export const measureMemory: Measurement = async ({ hearth, other }) => {
  const resident = async (pid: number | undefined): Promise<number | undefined> =>
    pid === undefined ? undefined : residentBytes(pid);
  const front = await resident(hearth.processes.frontPid);
  const engine = await resident(hearth.processes.enginePid);
  const otherEngine = await resident(other.processes?.enginePid);
  const samples = (bytes: number): readonly (readonly number[])[] => [[bytes / megabyte]];
  const rows: Row[] = [];
  if (front !== undefined) {
    rows.push(toRow({ name: 'resident memory, Hearth itself', unit: 'MB' }, samples(front)));
  }
  if (engine !== undefined) {
    rows.push(
      toRow(
        { name: 'resident memory, engine', unit: 'MB' },
        samples(engine),
        otherEngine === undefined ? undefined : samples(otherEngine),
      ),
    );
  }
  return rows;
};
