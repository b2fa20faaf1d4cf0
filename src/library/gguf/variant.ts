import { dirname } from 'node:path';
import type { Reading } from '../facts-cache.ts';
import { corruptFile } from './byte-source.ts';
import type { TensorTotals } from './tensor-table.ts';
import type { GgufFacts, GgufModelFacts } from './facts.ts';
import type { ModelFault } from '../library-model.ts';
import { parseModelFileName, type ModelFileName } from '../model-file-name.ts';
import type { ModelVariant } from '../model.ts';
import { quantizationName } from '../quantization.ts';
import type { ScannedFile } from '../scanned-file.ts';
import { weightSizes } from './weight-sizes.ts';

/** A GGUF file with the data of its name and its header. */
export interface GgufFile {
  readonly file: ScannedFile;
  readonly name: ModelFileName;
  readonly reading: Reading<GgufFacts>;
}

/** One quantization: a file, or all parts of a split file. */
export interface GgufVariant {
  readonly facts: GgufModelFacts;
  readonly parameterCount: number;
  readonly quantization: { readonly name: string; readonly bitsPerWeight: number } | null;
  readonly weights: NonNullable<ModelVariant['weights']>;
  readonly files: readonly ScannedFile[];
}

/** A key that the parts of a split file share. */
export function variantKey({ file, name }: GgufFile): string {
  const stem = name.part === null ? file.name : file.name.replace(/-\d{5}-of-/, '-of-');
  return `${dirname(file.path)}/${stem}`;
}

/** Joins the parts of a variant, or returns a fault if they are unusable. */
export function joinVariant(files: readonly GgufFile[]): GgufVariant | ModelFault {
  const parts = files.toSorted((left, right) => partNumber(left) - partNumber(right));
  const [first] = parts;
  if (first === undefined) throw new RangeError('A variant has at least one file.');
  const broken = parts.find(({ reading }) => reading.error !== null);
  if (broken?.reading.error) return fault(broken, parts, broken.reading.error);
  const missing = missingPart(parts);
  if (missing !== null) return fault(first, parts, corruptFile(first.file.name, missing));

  const known = parts.flatMap(({ reading }) => (reading.facts === null ? [] : [reading.facts]));
  const facts = known[0]?.model;
  if (facts === undefined || facts === null)
    return fault(first, parts, corruptFile(first.file.name, 'is not the first part of a model'));
  const tensors = sumTensors(known.map((part) => part.tensors));
  const quantization = quantizationName(
    known[0]?.fileType ?? null,
    tensors.bytesByType,
    first.name.quantization,
  );
  return {
    facts,
    parameterCount: tensors.parameterCount,
    quantization:
      quantization === null ? null : { name: quantization, bitsPerWeight: bitsPerWeight(tensors) },
    weights: weightSizes(tensors.bytesByPart),
    files: parts.map(({ file }) => file),
  };
}

function fault(
  { file, name }: GgufFile,
  parts: readonly GgufFile[],
  error: ModelFault['error'],
): ModelFault {
  return {
    variantId: name.quantization?.toLowerCase() ?? null,
    file,
    files: parts.map((part) => part.file),
    error,
  };
}

function partNumber({ name }: GgufFile): number {
  return name.part?.number ?? 1;
}

function missingPart(parts: readonly GgufFile[]): string | null {
  const count = parts[0]?.name.part?.count ?? 1;
  const numbers = new Set(parts.map(partNumber));
  for (let number = 1; number <= count; number += 1)
    if (!numbers.has(number)) return `is split, and part ${number} of ${count} is missing`;
  return numbers.size === count ? null : `is split in ${count} parts, and there are more`;
}

function sumTensors(all: readonly TensorTotals[]): TensorTotals {
  return {
    parameterCount: all.reduce((sum, totals) => sum + totals.parameterCount, 0),
    bytes: all.reduce((sum, totals) => sum + totals.bytes, 0),
    bytesByType: sumMaps(all.map(({ bytesByType }) => bytesByType)),
    bytesByPart: sumMaps(all.map(({ bytesByPart }) => bytesByPart)),
    hasClassifier: all.some(({ hasClassifier }) => hasClassifier),
  };
}

function sumMaps(maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, bytes] of maps.flatMap((map) => [...map]))
    sums.set(name, (sums.get(name) ?? 0) + bytes);
  return sums;
}

/** Rounded to two decimals. */
function bitsPerWeight({ bytes, parameterCount }: TensorTotals): number {
  return parameterCount === 0 ? 0 : Math.round((bytes * 800) / parameterCount) / 100;
}

/** A scanned file with the data of its name and its header. */
export function parseGgufFile(file: ScannedFile, reading: Reading<GgufFacts>): GgufFile {
  return { file, name: parseModelFileName(file.name), reading };
}
