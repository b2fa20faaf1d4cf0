/** Stored vectors: 32-bit floats, little-endian, one vector after the other. */

/** Scales a vector to length 1, so that the dot product of two vectors is the cosine of their angle. */
export function normalize(vector: ArrayLike<number>): Float32Array {
  const scaled = Float32Array.from(vector);
  let sum = 0;
  for (const component of scaled) sum += component * component;
  const length = Math.sqrt(sum);
  if (length > 0 && Number.isFinite(length)) {
    for (let index = 0; index < scaled.length; index += 1)
      scaled[index] = (scaled[index] ?? 0) / length;
  }
  return scaled;
}

export function toBytes(vectors: readonly Float32Array[]): Uint8Array {
  const dimensions = vectors[0]?.length ?? 0;
  const bytes = Buffer.alloc(vectors.length * dimensions * 4);
  let offset = 0;
  for (const vector of vectors) {
    for (const component of vector) offset = bytes.writeFloatLE(component, offset);
  }
  return bytes;
}

/** The components of all vectors; may share memory with the bytes. */
export function toFloats(bytes: Uint8Array): Float32Array {
  // A view must begin at a multiple of 4 bytes; a copy does.
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, Math.floor(bytes.byteLength / 4));
}
