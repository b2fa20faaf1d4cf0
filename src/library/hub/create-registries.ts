import { createHash } from 'node:crypto';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import type { PublicEgress } from '../../platform/net/address-policy.ts';
import { createHttpClient, type HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { retryDelayMs } from '../../platform/net/retry-delay.ts';
import { withRetries, type RetryPolicy } from '../../platform/net/with-retries.ts';
import { licenseNameFrom } from '../license-name.ts';
import { hubAddress, hubEgressPolicy } from './hub-endpoint.ts';
import type { HubFile, RepositoryName } from './hub.ts';
import { readBody } from './read-body.ts';
import { manifestSchema, readManifest, type RegistryManifest } from './registry-manifest.ts';
import type { RegistryName, RegistryReference } from './registry-reference.ts';
import { withRegistryTokens } from './registry-tokens.ts';

export type RegistryEndpoints = Readonly<Record<RegistryName, string>>;

/** A model of a registry at the time of the query. */
export interface RegistryModel extends RepositoryName {
  /** Digest of the manifest. */
  readonly commit: string;
  readonly quantization: string | null;
  readonly license: string | null;
  /** A path leads to the blob in the API of the registry. */
  readonly files: readonly (HubFile & { readonly target: string })[];
}

export interface Registries {
  /**
   * Reads the manifest of a model.
   *
   * @throws HearthError `model_not_found`, `hub_unreachable`; `invalid_value` for a manifest without a model that Hearth
   *   can run; the signal's reason when aborted.
   */
  model(reference: RegistryReference, signal: AbortSignal): Promise<RegistryModel>;
  /** Sends the credentials that a registry asks for. */
  readonly http: HttpClient;
  fileUrl(registry: RegistryName, path: string): URL;
}

interface RegistryOptions {
  readonly endpoints: RegistryEndpoints;
  /** Must use `registryEgressPolicy`. */
  readonly http: HttpClient;
  /** Waits between two attempts of a request; replaced in tests. */
  readonly wait?: NonNullable<RetryPolicy['wait']>;
}

const acceptedManifests = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
/** The least that the specification asks registries to accept. */
const maxManifestBytes = 4 * 1024 * 1024;
const maxLicenseBytes = 256 * 1024;
const answerTimeoutMs = 60_000;
const retryPolicy: RetryPolicy = { maxFailures: 3, maxDelayMs: 10_000 };

/** The registries themselves may have any address; redirects and token servers must have public ones. */
export function registryEgressPolicy(endpoints: RegistryEndpoints): PublicEgress {
  const policies = Object.values(endpoints).map((endpoint) => hubEgressPolicy(endpoint));
  return { type: 'public', allowedHosts: policies.flatMap(({ allowedHosts }) => allowedHosts) };
}

/** Registries with an HTTP client of their own, which must be closed. */
export function openRegistries(
  endpoints: RegistryEndpoints,
  environment: Readonly<Record<string, string | undefined>>,
): Registries {
  const http = createHttpClient({ environment, egress: registryEgressPolicy(endpoints) });
  return createRegistries({ endpoints, http });
}

/** Registries of models. Source: "Pull" of the OCI distribution specification 1.1. */
export function createRegistries(options: RegistryOptions): Registries {
  const http = withRegistryTokens(options.http);
  const policy = { ...retryPolicy, ...omitUndefined({ wait: options.wait }) };
  const fileUrl = (registry: RegistryName, path: string): URL => {
    const { origin, pathname } = hubAddress(options.endpoints[registry]);
    return new URL(`${origin}${pathname.replace(/\/+$/, '')}/v2/${path}`);
  };
  const read = (url: URL, maxBytes: number, signal: AbortSignal): Promise<Buffer> => {
    const attempt = async (): Promise<Buffer> => {
      try {
        return await withTimeout(answerTimeoutMs, signal, (within) =>
          readBody(http, url, {
            signal: within,
            maxBytes,
            forwardedHeaders: { accept: acceptedManifests },
          }),
        );
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
        throw new HttpFailure('timeout', `${url.host} took too long to answer`, { cause: error });
      }
    };
    return withRetries({ attempt, policy, signal });
  };
  const readLicense = async (url: URL, digest: string, signal: AbortSignal) => {
    try {
      const text = await read(url, maxLicenseBytes, signal);
      return digestOf(text) === digest ? (licenseNameFrom(text.toString()) ?? null) : null;
    } catch (error) {
      // The model is of use without the name of its license.
      if (error instanceof HttpFailure) return null;
      throw error;
    }
  };
  return {
    http,
    fileUrl,
    async model(reference, signal) {
      const { registry, owner, tag } = reference;
      const repository = `${owner}/${reference.model}`;
      const url = fileUrl(registry, `${repository}/manifests/${tag}`);
      let bytes: Buffer;
      try {
        bytes = await read(url, maxManifestBytes, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw registryFailure(error, url, reference);
      }
      const manifest = parseManifest(bytes, url);
      const { name, quantization, files, licenseDigest } = readManifest(reference, manifest);
      const pathOf = (digest: string): string => `${repository}/blobs/${digest}`;
      return {
        owner,
        name,
        commit: digestOf(bytes),
        quantization,
        license:
          licenseDigest === null
            ? null
            : await readLicense(fileUrl(registry, pathOf(licenseDigest)), licenseDigest, signal),
        files: files.map(({ digest, sizeBytes, target }) => ({
          path: pathOf(digest),
          target,
          sizeBytes,
          checksum: { algorithm: 'sha256', hex: digest.slice('sha256:'.length) },
        })),
      };
    },
  };
}

function parseManifest(bytes: Buffer, url: URL): RegistryManifest {
  try {
    return manifestSchema.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    throw new HearthError(
      'hub_unreachable',
      `${url.host} answered with no manifest of a model. Check the name, or try again later.`,
      { cause: error },
    );
  }
}

function registryFailure(
  error: unknown,
  { host }: URL,
  { registry, owner, model, tag }: RegistryReference,
): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const { status } = error;
  if (status === 404 || status === 401 || status === 403) {
    return new HearthError(
      'model_not_found',
      `${host} has no model ${owner}/${model} with the tag ${tag}, or gives it to accounts only.`,
      { field: 'model', cause: error },
    );
  }
  const isBusy = status === 429 || status === 503;
  return new HearthError(
    'hub_unreachable',
    `The registry can't be used: ${error.message}. ` +
      (isBusy ? 'Try again later.' : `Check the network, the proxy and hub.${registry}Registry.`),
    isBusy
      ? { cause: error, retryAfterSeconds: Math.ceil(retryDelayMs(error, 6, 1) / 1000) }
      : { cause: error },
  );
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
