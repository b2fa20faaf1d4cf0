import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { blobQuery } from '../conversations/conversation-queries.ts';

const imageClass = 'max-h-64 max-w-full rounded-xl border object-contain';

/** An image of a message: a data URL, or stored on the server. */
export function MessageImage({
  image,
}: {
  readonly image: { readonly data_url: string } | { readonly sha256: string };
}) {
  if ('data_url' in image) return <img src={image.data_url} alt="" className={imageClass} />;
  return <StoredImage sha256={image.sha256} />;
}

function StoredImage({ sha256 }: { readonly sha256: string }) {
  const { data } = useQuery(blobQuery(sha256));
  if (data === undefined) return <Skeleton lines={1} className="w-40" />;
  return <img src={urlOf(data)} alt="" className={imageClass} />;
}

const urls = new WeakMap<Blob, string>();

/** One URL for each image, however often its message is scrolled into view. */
function urlOf(image: Blob): string {
  const url = urls.get(image) ?? URL.createObjectURL(image);
  urls.set(image, url);
  return url;
}
