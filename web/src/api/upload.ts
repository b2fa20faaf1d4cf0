import { access } from './access.ts';
import { basePath } from './base-path.ts';
import { ApiError, errorFields, UnreachableError } from './api-error.ts';

/**
 * Sends a file as the body of a PUT request and reports its progress, which `fetch` can't do. Resolves with the JSON
 * response.
 *
 * @throws ApiError, UnreachableError; the signal's reason when aborted.
 */
export function upload(
  url: string,
  file: Blob,
  options: { readonly signal: AbortSignal; readonly onProgress: (sentBytes: number) => void },
): Promise<unknown> {
  const { signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', basePath + url);
    request.responseType = 'json';
    request.setRequestHeader('content-type', 'application/octet-stream');
    const { token } = access.get();
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve(request.response);
      else reject(toError(request));
    });
    request.addEventListener('error', () => reject(new UnreachableError('The upload broke off.')));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function toError({ status, response }: XMLHttpRequest): ApiError {
  const {
    message = `The server answered with status ${status}.`,
    code,
    param,
  } = errorFields(response);
  return new ApiError({ status, message, code, param });
}
