import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { blobQuery } from '../conversations/conversation-queries.ts';

const ImageDialog = lazy(async () => ({
  default: (await import('./image-dialog.tsx')).ImageDialog,
}));

/** An image of a message: a data URL, or stored on the server. */
export function MessageImage({
  image,
}: {
  readonly image: { readonly data_url: string } | { readonly sha256: string };
}) {
  if ('data_url' in image) return <OpenableImage url={image.data_url} />;
  return <StoredImage sha256={image.sha256} />;
}

function StoredImage({ sha256 }: { readonly sha256: string }) {
  const { data } = useQuery(blobQuery(sha256));
  if (data === undefined) return <Skeleton lines={1} className="w-40" />;
  return <OpenableImage url={urlOf(data)} />;
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

/** One URL for each image, however often its message is scrolled into view. */
function urlOf(image: Blob): string {
  const url = urls.get(image) ?? URL.createObjectURL(image);
  urls.set(image, url);
  return url;
}
