import { groupBy } from '../group-by.ts';
import { parseModelFileName } from '../model-file-name.ts';
import type { HubFile } from './hub.ts';

/** One model file of a repository, or all parts of a split one. */
export interface GgufBuild {
  /** Name of the model, in lower case, without quantization; empty if the files have no other name. */
  readonly base: string;
  /** In upper case, such as `Q4_K_M` or `UD-Q4_K_XL`; null if the name has none. */
  readonly label: string | null;
  /** Folder in the repository; empty for the top. */
  readonly folder: string;
  /** Sorted by part number. */
  readonly files: readonly HubFile[];
  /** The first few missing part numbers, from 1; empty if the model is complete. */
  readonly missingParts: readonly number[];
  readonly partCount: number;
}

export interface Projector {
  readonly file: HubFile;
  readonly base: string;
  readonly label: string | null;
  readonly folder: string;
}

interface NamedFile extends Projector {
  readonly part: { readonly number: number; readonly count: number } | null;
  readonly isProjector: boolean;
}

/** Limits the listed parts: a file name may claim 99,999 of them. */
const shownParts = 5;
/** Files that are not models: importance matrices, adapters, vocabularies without weights, and heads that draft tokens. */
const otherKinds =
  /(?:^(?:mtp|eagle3?)|(?:^|[-_.])(?:imatrix|i-matrix|lora|adapter|ggml-vocab))(?=[-_.]|$)/i;
const partSuffix = /-\d{5}(?=-of-\d{5}\.gguf$)/i;
const dynamicMark = /(?:^|[-_.])UD[-_.][^/]*$/i;

/** Sorts the GGUF files of a repository into models and projectors. */
export function readBuilds(files: readonly HubFile[]): {
  readonly builds: readonly GgufBuild[];
  readonly projectors: readonly Projector[];
} {
  const named = files.filter(({ path }) => isModelFile(path)).map(nameFile);
  const groups = groupBy(
    named.filter(({ isProjector }) => !isProjector),
    ({ file }) => file.path.replace(partSuffix, ''),
  );
  return {
    builds: [...groups.values()].flatMap(toBuild),
    projectors: named.filter(({ isProjector }) => isProjector),
  };
}

function isModelFile(path: string): boolean {
  return /\.gguf$/i.test(path) && !otherKinds.test(fileNameOf(path));
}

function nameFile(file: HubFile): NamedFile {
  const fileName = fileNameOf(file.path);
  const folder = file.path.slice(0, Math.max(0, file.path.length - fileName.length - 1));
  const { base, quantization, part, isProjector } = parseModelFileName(fileName);
  const fromFolder = parseModelFileName(fileNameOf(folder)).quantization;
  const own =
    quantization === null ? null : `${dynamicMark.test(fileName) ? 'UD-' : ''}${quantization}`;
  return { file, base: base.toLowerCase(), label: own ?? fromFolder, folder, part, isProjector };
}

function toBuild(group: readonly NamedFile[]): readonly GgufBuild[] {
  const [first] = group;
  if (first === undefined) return [];
  const { base, label, folder, part } = first;
  const sorted = group.toSorted((a, b) => (a.part?.number ?? 0) - (b.part?.number ?? 0));
  const files = sorted.map(({ file }) => file);
  const partCount = part?.count ?? 1;
  const numbers = new Set(sorted.map((file) => file.part?.number ?? 1));
  const missingParts: number[] = [];
  for (let number = 1; number <= partCount && missingParts.length < shownParts; number += 1) {
    if (!numbers.has(number)) missingParts.push(number);
  }
  return [{ base, label, folder, files, partCount, missingParts }];
}

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
