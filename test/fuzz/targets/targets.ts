import type { FuzzTarget } from '../fuzz-target.ts';
import { gguf } from './gguf.ts';
import { images } from './images.ts';
import { requests } from './requests.ts';
import { toolServers } from './tool-servers.ts';
import { upstreams } from './upstreams.ts';

export const fuzzTargets: Readonly<Record<string, FuzzTarget>> = {
  gguf,
  images,
  requests,
  'tool-servers': toolServers,
  upstreams,
};
