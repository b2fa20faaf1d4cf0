import { HearthError } from '../../kernel/errors/errors.ts';
import { groupBy } from '../group-by.ts';
import { type GgufBuild, type Projector, readBuilds } from './gguf-builds.ts';
import type { HubFile, HubRepository } from './hub.ts';

interface FileSelection {
  /** Required quantization; case is ignored. */
  readonly quantization?: string | undefined;
  /** Quantization to use if the repository has it. */
  readonly preferredQuantization?: string | undefined;
  /** Path of one file, which selects its whole model. */
  readonly file?: string | undefined;
  readonly folder?: string | undefined;
}

export interface FileChoice {
  readonly format: 'gguf' | 'mlx';
  /** Label of the quantization in the file names, in upper case; null if there is none. */
  readonly quantization: string | null;
  /** Includes all parts of a split and the projector. */
  readonly files: readonly HubFile[];
  /** Names other models that the repository contains; null if there are none. */
  readonly note: string | null;
}

const shownNames = 20;

/**
 * Chooses the files of a repository to download: a GGUF model in one quantization, with all its parts and its
 * projector, or a whole MLX model.
 *
 * @throws HearthError `invalid_value` for a quantization that does not exist, for a model with missing parts, for
 *   file names that not every file system can hold, and for a repository without a model that Hearth can run;
 *   `model_not_found` for a file that does not exist.
 */
export function chooseFiles(repository: HubRepository, selection: FileSelection): FileChoice {
  const choice = choose(repository, selection);
  assertDistinct(repository, choice.files);
  return choice;
}

function choose(repository: HubRepository, selection: FileSelection): FileChoice {
  const { file, folder, quantization } = selection;
  if (file !== undefined && repository.files.every(({ path }) => path !== file)) {
    throw new HearthError('model_not_found', `${nameOf(repository)} has no file ${quote(file)}.`, {
      field: 'model',
    });
  }
  const { builds, projectors } = readBuilds(repository.files);
  const inScope = builds.filter(
    (build) =>
      (file === undefined || build.files.some(({ path }) => path === file)) &&
      (folder === undefined || `${build.folder}/`.startsWith(`${folder}/`)),
  );
  if (inScope.length === 0) {
    const isOther = builds.length > 0 || /\.gguf$/i.test(file ?? '');
    if (file !== undefined && isOther) throw noModelFile(file);
    const mlx = folder === undefined ? chooseMlxFiles(repository) : null;
    if (mlx === null) throw noModel(repository, folder, builds.length > 0);
    if (quantization !== undefined) throw nothingToChoose(repository);
    return { format: 'mlx', quantization: null, files: mlx, note: null };
  }
  const chosen = chooseBuild(repository, inScope, selection);
  const projector = projectorFor(chosen, builds, projectors);
  return {
    format: 'gguf',
    quantization: chosen.label,
    files: projector === null ? chosen.files : [...chosen.files, projector],
    note: noteOn(chosen, inScope),
  };
}

function chooseBuild(
  repository: HubRepository,
  builds: readonly GgufBuild[],
  { quantization, preferredQuantization }: FileSelection,
): GgufBuild {
  const matching = (label: string) => buildsOf(builds, normalizeLabel(label));
  const matches = quantization === undefined ? builds : matching(quantization);
  if (matches.length === 0) throw noSuchQuantization(repository, builds, quantization ?? '');
  const preferred = preferredQuantization === undefined ? [] : matching(preferredQuantization);
  const candidates = preferred.length > 0 && quantization === undefined ? preferred : matches;
  const whole = candidates.filter(({ missingParts }) => missingParts.length === 0);
  const [broken] = candidates;
  if (whole.length === 0 && broken !== undefined) throw incomplete(repository, broken);
  const ofOneModel = chooseModel(repository, whole);
  const [best] = ofOneModel.toSorted(
    (left, right) =>
      defaultRank(left.label) - defaultRank(right.label) ||
      // Sorts plain before dynamic quantizations, the top folder before others, and then by name, so that the choice is
      // stable.
      Number(isDynamic(left)) - Number(isDynamic(right)) ||
      left.folder.length - right.folder.length ||
      compare(pathOf(left), pathOf(right)),
  );
  if (best === undefined) throw noModel(repository, undefined, false);
  return best;
}

/** `Q4_K_XL` also matches `UD-Q4_K_XL` if there is no plain one. */
function buildsOf(builds: readonly GgufBuild[], label: string): readonly GgufBuild[] {
  const exact = builds.filter((build) => build.label === label);
  return exact.length > 0 ? exact : builds.filter((build) => build.label === `UD-${label}`);
}

/** Chooses a model: the one named like the repository, else the one with the most builds, else the first. */
function chooseModel({ name }: HubRepository, builds: readonly GgufBuild[]): readonly GgufBuild[] {
  const own = name.toLowerCase().replace(/[-_.]?gguf$/, '');
  const models = [...groupBy(builds, ({ base }) => base)];
  const [chosen] = models.toSorted(
    ([left, leftBuilds], [right, rightBuilds]) =>
      Number(right === own) - Number(left === own) ||
      rightBuilds.length - leftBuilds.length ||
      compare(left, right),
  );
  return chosen?.[1] ?? [];
}

function isDynamic({ label }: GgufBuild): boolean {
  return label?.startsWith('UD-') === true;
}

/** Most preferred first: formats without loss that most backends run fast. */
const projectorPreference = ['F16', 'BF16', 'Q8_0', 'F32'];

/**
 * Finds the projector with the model's name, or else one without a name. If the repository has only one model, any
 * projector matches. Chooses the preferred precision.
 */
function projectorFor(
  chosen: GgufBuild,
  builds: readonly GgufBuild[],
  projectors: readonly Projector[],
): HubFile | null {
  const isOnlyModel = builds.every(({ base }) => base === chosen.base);
  const rank = ({ label }: Projector) => {
    const index = projectorPreference.indexOf(label ?? '');
    return index === -1 ? projectorPreference.length : index;
  };
  const near = projectors.filter(({ folder }) => folder === chosen.folder || folder === '');
  const named = near.filter(({ base }) => base === chosen.base);
  const unnamed = near.filter(({ base }) => base === '' || base === 'model');
  const usable = named.length > 0 ? named : unnamed.length > 0 ? unnamed : isOnlyModel ? near : [];
  const [best] = usable.toSorted(
    (left, right) =>
      Number(right.folder === chosen.folder) - Number(left.folder === chosen.folder) ||
      rank(left) - rank(right) ||
      compare(left.file.path, right.file.path),
  );
  return best?.file ?? null;
}

function noteOn(chosen: GgufBuild, builds: readonly GgufBuild[]): string | null {
  const others = [...groupBy(builds, ({ base }) => base)]
    .filter(([base]) => base !== chosen.base)
    .flatMap(([, [first]]) => (first === undefined ? [] : pathOf(first)));
  if (others.length === 0) return null;
  return (
    `Took ${quote(pathOf(chosen))}, one of ${others.length + 1} models in the repository; ` +
    `for another, give the URL of its file, such as ${listed(others)}.`
  );
}

function pathOf({ files }: GgufBuild): string {
  return files[0]?.path ?? '';
}

/** Paths that differ only in case are the same file on a case-insensitive file system. */
function assertDistinct(repository: HubRepository, files: readonly HubFile[]): void {
  const seen = new Map<string, string>();
  for (const { path } of files) {
    const key = path.normalize('NFC').toLowerCase();
    const other = seen.get(key);
    if (other !== undefined) {
      throw invalid(
        `${nameOf(repository)} has both ${quote(other)} and ${quote(path)}, which many file systems can't tell apart.`,
      );
    }
    seen.set(key, path);
  }
}

function noSuchQuantization(
  repository: HubRepository,
  builds: readonly GgufBuild[],
  quantization: string,
): HearthError {
  const labels = [...new Set(builds.map(({ label }) => label))].filter((label) => label !== null);
  const there =
    labels.length === 0
      ? 'Its files name none: leave quantization out'
      : `It has ${listed(labels)}`;
  return new HearthError(
    'invalid_value',
    `${nameOf(repository)} has no quantization ${quote(quantization)}. ${there}.`,
    { field: 'quantization' },
  );
}

function nothingToChoose(repository: HubRepository): HearthError {
  return new HearthError(
    'invalid_value',
    `${nameOf(repository)} is an MLX model, which comes in one quantization: leave quantization out.`,
    { field: 'quantization' },
  );
}

function incomplete(repository: HubRepository, build: GgufBuild): HearthError {
  const missing = build.missingParts.join(', ');
  const more = build.missingParts.length < 5 ? '' : ', ...';
  return invalid(
    `${nameOf(repository)} lacks part ${missing}${more} of the ${build.partCount} of ` +
      `${build.label ?? quote(build.base)}; it can't run without them.`,
  );
}

function noModelFile(file: string): HearthError {
  return invalid(`${quote(file)} is only a part of a model: use the URL of the model's file.`);
}

function noModel(
  repository: HubRepository,
  folder: string | undefined,
  hasElsewhere: boolean,
): HearthError {
  const name = nameOf(repository);
  if (folder !== undefined) {
    const where = hasElsewhere ? ' There are some elsewhere in the repository.' : '';
    return invalid(`${name} has no GGUF files in ${quote(folder)}.${where}`);
  }
  const hasWeights = repository.files.some(({ path }) => /\.(?:safetensors|bin|pth?)$/i.test(path));
  const next = hasWeights
    ? 'Its weights are in a format that Hearth does not run; look for a repository of the same model with GGUF in its name'
    : 'Look for one with GGUF in its name';
  return invalid(`${name} has neither GGUF files nor an MLX model. ${next}.`);
}

function invalid(message: string): HearthError {
  return new HearthError('invalid_value', message, { field: 'model' });
}

function nameOf({ owner, name }: HubRepository): string {
  return `${owner}/${name}`;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

function listed(names: readonly string[]): string {
  const shown = names.toSorted(compare).slice(0, shownNames).join(', ');
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

const weights = /^[^/]+\.safetensors$/i;
/** Configuration, tokenizer, template and license; no code, pages or pictures. */
const companions = /(?:\.(?:json|jinja|model|tiktoken|txt)|^(?:licen[cs]e|notice)(?:\.\w+)?)$/i;
const shard = /-(\d{5})-of-(\d{5})\.safetensors$/i;

/**
 * The files of an MLX model: its weights and the files that describe them, at the top and one folder deep. Null if the
 * repository has none. Without the hub's MLX mark, safetensors are ignored.
 *
 * @throws HearthError `invalid_value` if parts of the weights are missing.
 */
function chooseMlxFiles(repository: HubRepository): readonly HubFile[] | null {
  const { files, isMlx, owner, name } = repository;
  const isOne =
    (isMlx || owner.toLowerCase() === 'mlx-community') &&
    files.some(({ path }) => path === 'config.json') &&
    files.some(({ path }) => weights.test(path));
  if (!isOne) return null;
  const chosen = files.filter(
    ({ path }) => weights.test(path) || (companions.test(path) && path.split('/').length <= 2),
  );
  const [, , count] = chosen.map(({ path }) => shard.exec(path)).find(Boolean) ?? [];
  const found = new Set(chosen.map(({ path }) => shard.exec(path)?.[1]).filter(Boolean));
  if (count !== undefined && found.size !== Number(count)) {
    throw new HearthError(
      'invalid_value',
      `${owner}/${name} has ${found.size} of the ${Number(count)} parts of its weights; it can't be run without the rest.`,
      { field: 'model' },
    );
  }
  return chosen;
}

/**
 * The order of preference if a request names no quantization: Q4_K_M, then others with 4 bits, then more bits up to 8,
 * since quality matters more than size; then 3 bits, then unquantized, then the ones that lose too much quality.
 */
const preference: readonly string[] = [
  'Q4_K_M Q4_K_L Q4_K_XL Q4_K_S Q4_K IQ4_NL IQ4_XS Q4_0 MXFP4 NVFP4 Q4_1',
  'Q5_K_M Q5_K_L Q5_K_XL Q5_K_S Q5_K Q5_0 Q5_1',
  'Q6_K Q6_K_L Q6_K_XL',
  'Q8_0 Q8_K_XL',
  'Q3_K_L Q3_K_XL Q3_K_M IQ3_M IQ3_S Q3_K_S Q3_K IQ3_XS IQ3_XXS',
  'BF16 F16 F32',
  'Q2_K_L Q2_K_XL Q2_K IQ2_M IQ2_S Q2_K_S IQ2_XS IQ2_XXS TQ2_0',
  'IQ1_M IQ1_S TQ1_0',
].flatMap((labels) => labels.split(' '));

/** Position in the order of preference; unknown and missing labels come last. */
function defaultRank(label: string | null): number {
  if (label === null) return preference.length + 1;
  const index = preference.indexOf(label.replace(/^UD-/, ''));
  return index === -1 ? preference.length : index;
}

/** Normalizes a label that a user wrote: `fp16` becomes `F16`. */
function normalizeLabel(label: string): string {
  return label
    .trim()
    .toUpperCase()
    .replace(/^UD[_.]/, 'UD-')
    .replace(/^FP(?=\d)/, 'F');
}
