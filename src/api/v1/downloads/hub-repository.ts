import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  getHubRepository,
  listRecommendedModels,
  type HubRepositoryRecord,
} from './hub-repository-schema.ts';
import type { Hub, HubRepositoryPage } from '../../../library/hub/hub.ts';
import { listBuilds, type HubBuild } from '../../../library/hub/list-builds.ts';
import { expectedSpeed, recommendModels } from '../../../library/hub/recommend-models.ts';
import { parseRepositoryName } from '../../../library/hub/repository-name.ts';
import { estimateFromSize, memoryFit } from '../../../engines/loads/memory-fit.ts';
import type { Headroom } from '../../../engines/engines.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toCatalogRecord } from '../models/catalog.ts';
import { toLicense } from '../models/license-schema.ts';
import { toHeadroom } from '../models/model-record.ts';

export function mountHubRepository(app: App, services: ApiServices): void {
  const { hub, modelScopeHub, pool } = services;

  mount(app, getHubRepository, async ({ params, query, context }) => {
    const name = parseRepositoryName(`${params.owner}/${params.name}`);
    if (name === null) {
      throw new HearthError(
        'invalid_value',
        `${JSON.stringify(`${params.owner}/${params.name}`)} is not the name of a repository on the hub.`,
        { field: 'name' },
      );
    }
    const source = query.source === 'hub' ? hub : modelScopeHub;
    return toRecord(await source.page(name, context.signal), source, pool.headroom());
  });

  mount(app, listRecommendedModels, async ({ query: { limit } }) => {
    const headroom = pool.headroom();
    const bytesPerSecond = await pool.weightBytesPerSecond();
    const fits = (sizeBytes: number): boolean =>
      memoryFit(estimateFromSize(sizeBytes), headroom) === 'fits';
    return {
      models: recommendModels(services.catalog.list(), fits, limit).map((entry) => ({
        ...toCatalogRecord(entry, hub.repositoryUrl(entry.repository), headroom),
        ...(bytesPerSecond !== undefined && {
          expected_tokens_per_second: expectedSpeed(entry, bytesPerSecond),
        }),
      })),
      ...toHeadroom(headroom),
    };
  });
}

function toRecord(
  page: HubRepositoryPage,
  hub: Pick<Hub, 'repositoryUrl'>,
  headroom: Headroom,
): HubRepositoryRecord {
  const { repository, card } = page;
  const fullName = `${repository.owner}/${repository.name}`;
  return {
    repository: fullName,
    url: hub.repositoryUrl(fullName),
    commit: repository.commit,
    license: null,
    ...toLicense(repository.license),
    tags: [...page.tags],
    downloads: page.downloadCount,
    likes: page.likeCount,
    updated_at: page.updatedAt?.toISOString() ?? null,
    gated: page.isGated,
    builds: listBuilds(repository).map((build) => toBuild(build, headroom)),
    card: card === null ? null : { markdown: card.markdown, truncated: card.isTruncated },
    ...toHeadroom(headroom),
  };
}

function toBuild(build: HubBuild, headroom: Headroom): HubRepositoryRecord['builds'][number] {
  const { quantization, format, files, sizeBytes, isDefault, isComplete } = build;
  const estimatedBytes = estimateFromSize(sizeBytes);
  return {
    quantization,
    format,
    size_bytes: sizeBytes,
    files: files.map((file) => ({ name: file.path, size_bytes: file.sizeBytes })),
    default: isDefault,
    complete: isComplete,
    estimated_bytes: estimatedBytes,
    fits: memoryFit(estimatedBytes, headroom),
  };
}
