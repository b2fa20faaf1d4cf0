import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  startFakeBucket,
  type FakeBucket,
} from '../../../test/setup/object-storage/fake-bucket.ts';
import type { ObjectStorage } from '../blobs/object-storage.ts';
import { openObjectStorage } from './open-object-storage.ts';

let bucket: FakeBucket;
let objects: ObjectStorage;
const bytes = Buffer.from([0, 255, 10, 13]);

beforeEach(async () => {
  bucket = await startFakeBucket();
  const opened = await openObjectStorage(`${bucket.url}/`, bucket.environment);
  if (opened === undefined) throw new Error('no storage');
  objects = opened;
  onTestFinished(() => objects.close());
});

const answering =
  (status: number, text = '') =>
  (response: FakeResponse) => {
    response.writeHead(status, { 'retry-after': '0' }).end(text);
  };
type FakeResponse = Parameters<FakeBucket['faults'][number]>[0];

describe('createS3Storage', () => {
  it('stores, reads and deletes bytes', async () => {
    await objects.put('a', bytes, 'image/png');
    expect(await objects.get('a')).toEqual(bytes);
    await objects.delete('a');
    await objects.delete('a');
    expect(await objects.get('a')).toBeUndefined();
  });

  it('repeats requests that fail for the moment', async () => {
    bucket.faults.push(answering(503), (response) => response.destroy());
    await objects.put('a', bytes, 'image/png');
    bucket.faults.push(answering(500), (response) => {
      response.writeHead(200, { 'content-length': '4' }).write('x');
      setImmediate(() => response.destroy());
    });
    expect(await objects.get('a')).toEqual(bytes);
  });

  it('gives up after three attempts, with the reason of the storage', async () => {
    bucket.faults.push(
      ...Array.from({ length: 3 }, () => answering(503, '<Message>Slow</Message>')),
    );
    await expect(objects.get('a')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/not available: 127\S+ answered 503: Slow\.$/),
      retryAfterSeconds: 5,
    });
    expect(bucket.requests).toHaveLength(3);
  });

  it('does not repeat what is refused, and names a bucket that does not exist', async () => {
    bucket.faults.push(answering(404));
    await expect(objects.put('a', bytes, 'image/png')).rejects.toThrow(/there is no such bucket/);
    bucket.faults.push(answering(301));
    await expect(objects.get('a')).rejects.toThrow(/answered 301/);
    expect(bucket.requests).toHaveLength(2);
  });

  it('ends its requests when it is closed', async () => {
    bucket.faults.push(() => {});
    const reading = objects.get('a');
    reading.catch(() => {});
    await expect.poll(() => bucket.requests.length).toBe(1);
    await objects.close();
    await expect(reading).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

describe('openObjectStorage', () => {
  it('names the variable that is missing', async () => {
    await expect(openObjectStorage(bucket.url, { AWS_ACCESS_KEY_ID: 'key' })).rejects.toThrow(
      /needs the variable AWS_SECRET_ACCESS_KEY/,
    );
    expect(await openObjectStorage(undefined, {})).toBeUndefined();
  });
});
