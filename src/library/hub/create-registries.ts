import { createHash } from 'node:crypto';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { PublicEgress } from '../../platform/net/address-policy.ts';
import { createHttpClient, type HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { licenseNameFrom } from '../license-name.ts';
import { hubAddress, hubBase, hubEgressPolicy } from './hub-endpoint.ts';
import type { HubFile, RepositoryName } from './hub.ts';
import { readWithRetries, type RetryWait } from './read-body.ts';
import { manifestSchema, readManifest, type RegistryManifest } from './registry-manifest.ts';
import type { RegistryName, RegistryReference } from './registry-reference.ts';
import { withRegistryTokens } from './registry-tokens.ts';
import { sourceFailure } from './source-failure.ts';

export type RegistryEndpoints = Readonly<Record<RegistryName, string>>;

/** A model of a registry at the time of the query. */
export interface RegistryModel extends RepositoryName {
  /** Digest of the manifest. */
  readonly commit: string;
  readonly quantization: string | null;
  readonly license: string | null;
  /** `path` is the path of the blob in the API of the registry. */
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
  readonly wait?: RetryWait;
}

const acceptedManifests = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
/** The OCI distribution specification asks registries to accept manifests of at least this size. */
const maxManifestBytes = 4 * 1024 * 1024;
const maxLicenseBytes = 256 * 1024;

/** The registries themselves may have any address; redirects and token servers must have public addresses. */
export function registryEgressPolicy(endpoints: RegistryEndpoints): PublicEgress {
  const policies = Object.values(endpoints).map((endpoint) => hubEgressPolicy(endpoint));
  return { type: 'public', allowedHosts: policies.flatMap(({ allowedHosts }) => allowedHosts) };
}

/** Registries with their own HTTP client, which the caller must close. */
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
  const fileUrl = (registry: RegistryName, path: string): URL => {
    return new URL(`${hubBase(hubAddress(options.endpoints[registry]))}/v2/${path}`);
  };
  const read = async (url: URL, maxBytes: number, signal: AbortSignal): Promise<Buffer> => {
    const { wait } = options;
    const forwardedHeaders = { accept: acceptedManifests };
    return (await readWithRetries(http, url, { signal, maxBytes, forwardedHeaders, wait })).body;
  };
  const readLicense = async (url: URL, digest: string, signal: AbortSignal) => {
    try {
      const text = await read(url, maxLicenseBytes, signal);
      return digestOf(text) === digest ? (licenseNameFrom(text.toString()) ?? null) : null;
    } catch (error) {
      // The model is useful without the name of its license.
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
        throw sourceFailure(error, {
          host: url.host,
          missing: `model ${repository} with the tag ${tag}`,
        });
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

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
