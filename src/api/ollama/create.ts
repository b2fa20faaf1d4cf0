import { dirname, join } from 'node:path';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import { HearthError, invalidValue } from '../../kernel/errors/errors.ts';
import { assertInScope } from '../../kernel/model-scope.ts';
import { mergeRecords, type SettingsRecord } from '../../engines/loads/settings-record.ts';
import { futureKeyOf } from '../../library/downloads/model-keys.ts';
import { hasBlob, importBlobs, receiveBlob } from '../../library/import/blobs.ts';
import { assertChatTemplate } from '../../library/chat-template.ts';
import type { ModelEntry, ModelLibrary } from '../../library/model.ts';
import { parseModelFileName } from '../../library/model-file-name.ts';
import {
  findOllamaModel,
  findOrNull,
  type NamedModel,
  parseOllamaName,
} from '../../library/ollama/find-model.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { type NamedModelServices, servicesFor } from '../kit/named-models.ts';
import { mount, type App } from '../kit/mount.ts';
import { assertSupported, is, type UnsupportedField } from '../openai/chat/unsupported-fields.ts';
import type { ApiServices } from '../services.ts';
import { throwInvalidFile } from '../v1/models/model-import.ts';
import { deleteSettings, storeSettings } from '../v1/models/model-settings.ts';
import {
  createOllama,
  headBlobOllama,
  type OllamaCreateRequest,
  pushBlobOllama,
} from './create-schema.ts';
import { requiredName, withoutLatest } from './models.ts';
import { answerProgress, progress, type ProgressEvent } from './progress.ts';
import { pull } from './pull.ts';
import { assertGenerationOptions } from './to-generation-options.ts';
import { toSettings } from './to-settings.ts';

const notQuantizing =
  'is not supported: Hearth does not quantize. Quantize the file with `llama-quantize` of llama.cpp, or pull a quantized model.';
const unsupported: readonly UnsupportedField[] = [
  { name: 'quantize', reason: notQuantizing, isHarmless: is('') },
  { name: 'quantization', reason: notQuantizing, isHarmless: is('') },
  {
    name: 'remote_host',
    reason: 'is not supported; the setting `upstreams.servers` adds remote servers.',
    isHarmless: is(''),
  },
];

/** Weights in other formats, and the files that belong to them. */
const otherFormats = /\.(?:safetensors|json|pth|pt|model)$/i;
/** Syntax of Ollama's templates that Jinja does not have. */
const goTemplate = /\{\{-?\s*(?:\.|\$|if\b|else\b|end\b|range\b|with\b)/;

export function mountCreate(app: App, services: ApiServices): void {
  mount(app, headBlobOllama, async ({ params: { digest }, context }) => {
    if (await hasBlob(blobPlace(services, context), digest)) return { digest };
    throw new HearthError('not_found', `There is no file ${digest}.`);
  });

  mount(app, pushBlobOllama, async ({ params: { digest }, upload, context }) => {
    const source = { ...blobPlace(services, context), ...upload, signal: context.signal };
    await receiveBlob(source, digest).catch((error: unknown) => throwInvalidFile(error, 'digest'));
    return { digest };
  });

  mount(app, createOllama, async ({ body, context }) =>
    answerProgress(create(services, body, context), body.stream !== false, context),
  );
}

/** @throws The errors that the route declares. */
async function* create(
  services: ApiServices,
  body: OllamaCreateRequest,
  context: RequestContext,
): AsyncGenerator<ProgressEvent> {
  const name = withoutLatest(requiredName(body));
  assertSupported(body, unsupported);
  if (goTemplate.test(body.template ?? '')) {
    throw invalid(
      'template',
      'is a Go template. Hearth runs chat templates in Jinja; leave it out to use the template of the model.',
    );
  }
  if (body.template) assertChatTemplate(body.template);
  assertGenerationOptions(body.parameters);
  const own = servicesFor(services, context.caller);
  const files = Object.entries(body.files ?? {});
  const from = body.from ?? '';
  if (from !== '' && files.length > 0) throw invalid('files', 'is not allowed with "from".');
  if (from === '' && files.length === 0) throw invalid('from', 'or "files" is required.');
  const base =
    from === '' ? {} : findBase(services, yield* findOrPull(services, own.library, from, context));
  const place: ImportPlace = { services, context, undos: [] };
  let key = name;
  try {
    if (from === '') key = await importModel(own, name, files, place);
    const adapters = await importAdapters(Object.entries(body.adapters ?? {}), key, place);
    const { model } = await own.library.find(base.base ?? key);
    const record = mergeRecords(base, {
      ...toSettings(body, model),
      ...(adapters.length > 0 && { adapters: [...(base.adapters ?? []), ...adapters] }),
    });
    if (Object.keys(record).length > 0) await storeSettings(own, key, record);
    else await deleteSettings(own, key);
  } catch (error) {
    await undoImports(place);
    throw error;
  }
  // The first event comes after the last check, so that a refused request still gets an error status.
  if (from === '') yield progress({ status: 'parsing GGUF' });
  yield progress({ status: 'writing manifest' });
  context.logger.info({ model: key, base: base.base }, 'model created');
  yield progress({ status: 'success' });
}

async function* findOrPull(
  services: ApiServices,
  library: ModelLibrary,
  from: string,
  context: RequestContext,
): AsyncGenerator<ProgressEvent, NamedModel> {
  const found = await findOrNull(() => findOllamaModel(library, from));
  if (found !== null) return found;
  for await (const event of pull(services, from, context)) {
    if (event.line.status !== 'success') yield event;
  }
  return findOllamaModel(library, from);
}

/**
 * The initial settings of a new profile: the settings of the profile it is made from, and the adapters in the model's
 * name.
 */
function findBase(
  { modelSettings }: ApiServices,
  { selection, identifier, choices = [] }: NamedModel,
): SettingsRecord {
  const { model, variant, alias } = selection;
  const profile = alias === undefined ? undefined : modelSettings.get(alias);
  const isBest = variant.id === model.variants[0]?.id;
  const hasVariant = alias === undefined ? identifier.includes('@') : !isBest;
  const base = profile?.base ?? (hasVariant ? `${model.key}@${variant.id}` : model.key);
  const adapters = [...(profile?.adapters ?? []), ...choices];
  return {
    ...(profile?.base === undefined ? {} : profile),
    base,
    ...(adapters.length > 0 && { adapters }),
  };
}

type Files = readonly (readonly [name: string, digest: string])[];
interface ImportPlace {
  readonly services: ApiServices;
  readonly context: RequestContext;
  /** Undoes each import, in the order of the imports. */
  readonly undos: (() => Promise<void>)[];
}

/**
 * Imports a model under a key derived from the request's name: `owner/base:tag` becomes `owner/base-tag`.
 *
 * @returns The key.
 */
async function importModel(
  own: NamedModelServices,
  name: string,
  files: Files,
  place: ImportPlace,
): Promise<string> {
  const { base, tag } = parseOllamaName(name);
  const slash = base.indexOf('/');
  const [publisher, stem] =
    slash === -1 ? ['local', base] : [base.slice(0, slash), base.slice(slash + 1)];
  const repo = tag === 'latest' ? stem : `${stem}-${tag}`;
  const key = futureKeyOf({ owner: publisher, name: repo });
  const folder = join(place.services.modelsFolder, publisher, repo);
  const refuse = (what: string): never => {
    throw new HearthError('conflict', `${JSON.stringify(name)} is ${what}. Delete it first.`);
  };
  const isName = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  const isOther = ({ key: other, machine, variants }: ModelEntry): boolean =>
    other === key && machine === undefined && variants.some(({ path }) => dirname(path) !== folder);
  if (own.modelSettings.get(name.toLowerCase())?.base !== undefined) refuse('a profile');
  if ((await own.aliases.list()).some((alias) => isName(alias.name))) refuse('an alias');
  if ((await own.library.list()).some(isOther)) refuse('another model');
  return importFiles('model', { publisher, repo }, files, place);
}

/** @param modelKey Key of the model, whose folder must not contain adapters. */
async function importAdapters(
  files: Files,
  modelKey: string,
  place: ImportPlace,
): Promise<readonly AdapterChoice[]> {
  const choices: AdapterChoice[] = [];
  for (const [name, digest] of files) {
    const base = parseModelFileName(name).base || 'adapter';
    const isModel = futureKeyOf({ owner: 'local', name: base }) === modelKey;
    const target = { publisher: 'local', repo: isModel ? `${base}-adapter` : base };
    choices.push({ name: await importFiles('adapter', target, [[name, digest]], place), scale: 1 });
  }
  return choices;
}

/** Moves the files back to the uploads, so that the client can repeat the request with other settings. */
async function undoImports({ undos, context }: ImportPlace): Promise<void> {
  for (const undo of undos.toReversed()) {
    await undo().catch((err: unknown) => {
      context.logger.warn({ err }, 'the files of a refused model stay in the library');
    });
  }
}

async function importFiles(
  kind: 'model' | 'adapter',
  { publisher, repo }: { readonly publisher: string; readonly repo: string },
  files: Files,
  { services, context, undos }: ImportPlace,
): Promise<string> {
  const field = kind === 'model' ? 'files' : 'adapters';
  if (files.some(([name]) => otherFormats.test(name))) {
    throw invalid(
      field,
      'must be GGUF files. `convert_hf_to_gguf.py` and `convert_lora_to_gguf.py` of llama.cpp convert others.',
    );
  }
  assertInScope(context.caller.modelScope, futureKeyOf({ owner: publisher, name: repo }));
  const blobs = files.map(([name, digest]) => ({
    file: /\.gguf$/i.test(name) ? name : `${name}.gguf`,
    digest,
  }));
  const place = { ...blobPlace(services, context), signal: context.signal };
  const { key, undo } = await importBlobs({ ...place, publisher, repo, blobs, kind }).catch(
    (error: unknown) => throwInvalidFile(error, field),
  );
  undos.push(undo);
  return key;
}

function blobPlace({ modelsFolder, homeId }: ApiServices, { caller }: RequestContext) {
  return { modelsFolder, homeId, owner: caller.tokenId };
}

function invalid(param: string, fault: string): HearthError {
  return invalidValue(param, `"${param}" ${fault}`);
}
