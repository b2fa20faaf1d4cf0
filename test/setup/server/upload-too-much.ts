import { request } from 'node:http';
import { toAnswer, type ApiAnswer } from './api.ts';

const mebibyte = 1024 * 1024;

/** Starts uploads that reserve 4,000 MiB, then uploads files until one does not fit into the 4 GiB. */
export async function uploadTooMuch(url: string): Promise<ApiAnswer> {
  const leaving = new AbortController();
  const head =
    '--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n' +
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{';
  const headers = {
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': 100 * mebibyte,
  };
  for (let count = 0; count < 40; count += 1) {
    const { signal } = leaving;
    const outgoing = request(`${url}/v1/files`, { method: 'POST', agent: false, headers, signal });
    outgoing.on('error', () => {}).write(head);
  }
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([Buffer.alloc(8 * mebibyte, 'x')]), 'requests.jsonl');
  try {
    for (;;) {
      const answer = await toAnswer(await fetch(`${url}/v1/files`, { method: 'POST', body: form }));
      if (answer.status !== 200) return answer;
    }
  } finally {
    leaving.abort();
  }
}
