import { StoreOpenError } from '../store-errors.ts';
import type { ObjectStorage } from '../blobs/object-storage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the storage that `store.blobsUrl` names, with the credentials in the variables of AWS's tools.
 *
 * @returns undefined if the setting is absent: the database keeps the images.
 * @throws StoreOpenError if the credentials are missing.
 */
export async function openObjectStorage(
  url: string | undefined,
  environment: Environment,
): Promise<ObjectStorage | undefined> {
  if (url === undefined) return undefined;
  const [accessKeyId, secretAccessKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map(
    (name) => {
      const value = environment[name];
      if (value !== undefined && value !== '') return value;
      throw new StoreOpenError(
        `\`store.blobsUrl\` needs the variable ${name} in the environment of the server.`,
      );
    },
  ) as [string, string];
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  const { createS3Storage } = await import('./s3-storage.ts');
  const credentials = { accessKeyId, secretAccessKey, sessionToken, region };
  return createS3Storage({ url, credentials, environment });
}
