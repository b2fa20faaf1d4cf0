import { Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../../../texts/texts.ts';

/** Accepts files that are dropped anywhere on the page, and covers the page while files are dragged over it. */
export function DropZone({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const isWithFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    // Each element under the pointer sends events when the pointer enters it or moves out of it. When the pointer leaves the window, there is no
    // related target.
    const enter = (event: DragEvent) => setOver(isWithFiles(event));
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const over = (event: DragEvent) => {
      if (isWithFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!isWithFiles(event)) return;
      event.preventDefault();
      latest.current(event.dataTransfer?.files ?? []);
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    const all = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [name, listener] of all) document.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) document.removeEventListener(name, listener);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center bg-bg/85 p-6">
      <p className="flex flex-col items-center gap-3 rounded-3xl border-2 border-dashed border-accent bg-raised px-10 py-12 text-center font-medium shadow-pop">
        <Upload size={32} aria-hidden className="text-accent" />
        {texts.chat.dropFiles}
      </p>
    </div>
  );
}
