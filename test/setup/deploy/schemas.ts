import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { deployTools, type Manifest } from './render-chart.ts';

const folder = join(deployTools, 'schemas');
const options = { strict: false, validateFormats: false, allErrors: true } as const;
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as object;

/**
 * Returns a function that validates an object against the schemas of a Kubernetes version and of the operators that the
 * chart uses.
 */
export function manifestValidator(version: string): (manifest: Manifest) => readonly string[] {
  const kubernetes = join(folder, 'kubernetes', version);
  const ajv = new Ajv2020(options);
  ajv.addSchema(readJson(join(kubernetes, '_definitions.json')), '/api/_definitions.json');
  const custom = customSchemas();
  const validators = new Map<string, ValidateFunction>();
  return (manifest) => {
    const { apiVersion, kind } = manifest;
    const name = `${apiVersion}/${kind}`;
    const [group = '', last] = apiVersion.split('/');
    const place = last === undefined ? group : `${group.split('.')[0]}-${last}`;
    const file = join(kubernetes, `${kind.toLowerCase()}-${place}.json`);
    const validate = validators.get(name) ?? ajv.compile(custom.get(name) ?? readJson(file));
    validators.set(name, validate);
    return problems(validate, manifest);
  };
}

/** Violations of the Compose specification in a file. */
export function composeProblems(file: unknown): readonly string[] {
  const ajv = new Ajv2020(options);
  return problems(ajv.compile(readJson(join(folder, 'compose-spec.json'))), file);
}

function problems(validate: ValidateFunction, value: unknown): readonly string[] {
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

interface CustomResource {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: object };
    }[];
  };
}

function customSchemas(): ReadonlyMap<string, object> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return new Map(
    files.flatMap((name) => {
      const { spec } = parse(readFileSync(join(folder, name), 'utf8')) as CustomResource;
      return spec.versions.map((version) => [
        `${spec.group}/${version.name}/${spec.names.kind}`,
        withoutOthers(version.schema.openAPIV3Schema) as object,
      ]);
    }),
  );
}

/** Makes a schema strict, so that it rejects unknown fields like `kubectl apply`. Removes patterns in Go's syntax. */
function withoutOthers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutOthers);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => name !== 'pattern' || !String(value).includes('(?i)'))
      .map(([name, value]) => [name, withoutOthers(value)]),
  );
  const isClosed = 'properties' in schema && !('additionalProperties' in schema);
  return isClosed && typeof schema.properties === 'object'
    ? { ...copy, additionalProperties: false }
    : copy;
}
