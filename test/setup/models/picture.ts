import sharp from 'sharp';

/** A PNG of one color as a data URL. */
export async function picture(color: string, width = 56, height = 56): Promise<string> {
  const png = await sharp({ create: { width, height, channels: 3, background: color } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
