import { Camera } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

/** Shows the camera and takes a picture with it. */
export function CameraDialog({
  onClose,
  onPicture,
}: {
  readonly onClose: () => void;
  readonly onPicture: (picture: File) => void;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<'opening' | 'open' | 'failed'>('opening');
  useEffect(() => {
    let stream: MediaStream | undefined;
    let isClosed = false;
    const open = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      if (isClosed || video.current === null) return stopAll(stream);
      video.current.srcObject = stream;
      await video.current.play();
      setState('open');
    };
    open().catch(() => setState('failed'));
    return () => {
      isClosed = true;
      if (stream !== undefined) stopAll(stream);
    };
  }, []);
  const take = async () => {
    if (video.current === null) return;
    onPicture(await pictureOf(video.current));
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={texts.camera.title}>
      {state === 'failed' ? (
        <p role="alert" className="py-4 text-sm text-danger">
          {texts.camera.failed}
        </p>
      ) : (
        <div className="flex flex-col items-center gap-4">
          {/* A live camera picture has no sound, so captions are not needed. */}
          <video
            ref={video}
            muted
            playsInline
            aria-label={texts.camera.view}
            className="aspect-video w-full rounded-xl bg-black object-contain"
          />
          <Button variant="primary" disabled={state !== 'open'} onClick={() => void take()}>
            <Camera size={16} aria-hidden />
            {texts.camera.take}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

async function pictureOf(video: HTMLVideoElement): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', 0.92);
  });
  return new File(blob === null ? [] : [blob], texts.camera.fileName, { type: 'image/jpeg' });
}

function stopAll(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
