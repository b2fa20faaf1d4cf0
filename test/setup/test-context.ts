import { createLogger } from '../../src/telemetry/logger.ts';
import { RequestRecord } from '../../src/kernel/request/request-record.ts';
import type { Caller, RequestContext } from '../../src/kernel/request/request-context.ts';

interface TestContextOptions extends Partial<Omit<RequestContext, 'caller'>> {
  readonly caller?: Partial<Caller>;
}

/** A request context of an anonymous caller without permissions, which is never aborted. */
export function testContext({ caller, ...rest }: TestContextOptions = {}): RequestContext {
  return {
    requestId: 'test-request',
    logger: createLogger('silent'),
    signal: new AbortController().signal,
    record: RequestRecord.detached('test-request'),
    ...rest,
    caller: {
      tokenId: null,
      clientKey: 'test-client',
      modelScope: null,
      hasPermission: () => false,
      ...caller,
    },
  };
}
