import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { HttpFailure } from '../net/http-failure.ts';
import { ToolListError } from './tool-list.ts';

const maxWords = 500;

/** Why a server can't be used or a call gave nothing, in words that follow the server's name and a colon. */
export function describeFailure(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error instanceof HttpFailure || error instanceof ToolListError) return error.message;
  if (error instanceof SdkHttpError) return `it answered with HTTP status ${error.status}`;
  if (error instanceof ProtocolError) return `it answered: ${error.message.slice(0, maxWords)}`;
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.ConnectionClosed) return 'it closed the connection';
    if (error.code === SdkErrorCode.NotConnected) return 'it is not connected any more';
    if (error.code === SdkErrorCode.InvalidResult) return 'its answer is not what MCP asks for';
  }
  return 'it does not keep to the protocol MCP';
}
