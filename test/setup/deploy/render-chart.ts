import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { projectFolder } from '../project-folder.ts';

export const deployTools = join(projectFolder, '.cache/deploy-tools');
export const chart = join(projectFolder, 'deploy/helm/hearth');
const helm = join(deployTools, 'helm');

/** True if `scripts/install-deploy-tools.sh` could install Helm and the schemas. */
export const hasDeployTools = existsSync(join(deployTools, 'stamp'));
if (!hasDeployTools) console.warn('The chart is not tested: run scripts/install-deploy-tools.sh.');

/** Helm that `go install` builds has no default version of Kubernetes. */
const version = ['--kube-version', '1.33.0'];

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Values of the chart, or the name of a file in `deploy/helm/examples`. */
export type Values = object | string;

function valueFlags(values: Values): readonly string[] {
  if (typeof values === 'string') {
    return ['--values', join(projectFolder, 'deploy/helm/examples', values)];
  }
  return Object.entries(values).flatMap(([name, value]) => [
    '--set-json',
    `${name}=${JSON.stringify(value)}`,
  ]);
}

/** Runs `helm lint`; rejects with its findings. @returns The report. */
export async function lintChart(values: Values): Promise<string> {
  const command = ['lint', '--strict', ...version, ...valueFlags(values), chart];
  return (await promisify(execFile)(helm, command)).stdout;
}

/** The objects that `helm install RELEASE` creates, by their kind. */
export async function renderChart(
  values: Values,
  { release = 'hearth', namespace = 'default' } = {},
): Promise<ReadonlyMap<string, Manifest>> {
  const { stdout } = await promisify(execFile)(
    helm,
    ['template', release, chart, '--namespace', namespace, ...version, ...valueFlags(values)],
    { maxBuffer: 2 ** 24 },
  );
  const documents = parseAllDocuments(stdout).map((each) => {
    if (each.errors.length > 0) throw each.errors[0];
    return each.toJS() as Manifest | null;
  });
  const manifests = documents.filter((each) => each !== null);
  return new Map(manifests.map((each) => [each.kind, each]));
}
