import { Downloads } from '../../../downloads/downloads.tsx';
import { Recommended } from '../../../downloads/recommended.tsx';

/** Models that fit this machine, and the progress of their downloads. */
export function FirstDownloads() {
  return (
    <div className="flex flex-col gap-6">
      <Downloads />
      <Recommended />
    </div>
  );
}
