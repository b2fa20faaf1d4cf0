import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { usePermissions } from '../../../api/permissions.ts';
import { useStartDownload } from '../../../downloads/download-queries.ts';
import { Downloads } from '../../../downloads/downloads.tsx';
import { recommendedQuery } from '../../../downloads/recommended.tsx';
import { modelsTexts } from '../../../texts/models.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { separated } from '../../../ui/separated.ts';

/** Models to download from within the model picker, and the progress of their downloads. */
export function GetModels() {
  const isAllowed = usePermissions()('models:write');
  const { data } = useQuery({ ...recommendedQuery, enabled: isAllowed });
  const start = useStartDownload();
  if (!isAllowed) return null;
  return (
    <section
      aria-label={modelsTexts.getMore}
      className="flex max-h-[30vh] flex-col gap-3 overflow-y-auto border-t p-3"
    >
      <h2 className="ps-1 text-xs font-medium text-muted">{modelsTexts.getMore}</h2>
      <ul>
        {data?.models.map(({ id, size_bytes: size, quantization }) => (
          <li key={id} className="flex items-center gap-2 ps-1 text-sm">
            <span className="min-w-0 flex-1 truncate">{id}</span>
            <span className="shrink-0 text-xs text-muted">
              {separated([quantization, size === undefined ? undefined : formatBytes(size)])}
            </span>
            <IconButton
              icon={Download}
              size={15}
              label={modelsTexts.downloadModel({ name: id })}
              disabled={start.isPending}
              onClick={() => start.mutate({ model: id })}
            />
          </li>
        ))}
      </ul>
      <Downloads />
      <Link to="/models/discover" className={buttonClass({ variant: 'quiet', size: 'small' })}>
        {modelsTexts.moreModels}
      </Link>
    </section>
  );
}
