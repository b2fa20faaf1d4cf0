import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { blobQuery } from '../conversations/conversation-queries.ts';
import type { MediaPart } from './message-parts.ts';

const ImageDialog = lazy(async () => ({
  default: (await import('./image-dialog.tsx')).ImageDialog,
}));

/** Shows an image of a message, or a player for its audio. */
export function MessageMedia({ part }: { readonly part: MediaPart }) {
  if ('sha256' in part) return <StoredMedia type={part.type} sha256={part.sha256} />;
  return <ShownMedia type={part.type} url={part.data_url} />;
}

interface MediaProps {
  readonly type: MediaPart['type'];
}

function StoredMedia({ type, sha256 }: MediaProps & { readonly sha256: string }) {
  const { data } = useQuery(blobQuery(sha256));
  if (data === undefined) return <Skeleton lines={1} className="w-40" />;
  return <ShownMedia type={type} url={urlOf(data)} />;
}

function ShownMedia({ type, url }: MediaProps & { readonly url: string }) {
  if (type === 'image') return <OpenableImage url={url} />;
  return (
    <audio controls src={url} className="max-w-full">
      <track kind="captions" />
    </audio>
  );
}

/** A small picture that opens in full size. */
function OpenableImage({ url }: { readonly url: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={texts.chat.picture.open}
        className="cursor-zoom-in overflow-hidden rounded-xl border"
        onClick={() => setOpen(true)}
      >
        <img src={url} alt="" className="max-h-64 max-w-full object-contain" />
      </button>
      {isOpen && (
        <Suspense>
          <ImageDialog url={url} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const urls = new WeakMap<Blob, string>();

/** Caches one URL per blob, so that scrolling does not create more. */
function urlOf(blob: Blob): string {
  const url = urls.get(blob) ?? URL.createObjectURL(blob);
  urls.set(blob, url);
  return url;
}
