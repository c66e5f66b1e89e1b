// The page's data: JSON, in which arrays are planes of bytes, compressed by zlib, in base64.

async function inflate(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpack(packed) {
  const bytes = await inflate(packed.data);
  if (packed.kind === "text") return JSON.parse(new TextDecoder().decode(bytes));
  const { width, length } = packed;
  const joined = new Uint8Array(width * length);
  for (let plane = 0; plane < width; plane++) {
    for (let k = 0; k < length; k++) joined[k * width + plane] = bytes[plane * length + k];
  }
  if (packed.kind === "f") return new Float32Array(joined.buffer);
  const Kind = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
  return new Kind(joined.buffer);
}

// Unpacks every packed array of an object at once; what is not packed stays as it is.
async function unpackAll(object) {
  const isPacked = (value) => value !== null && typeof value === "object" && "data" in value;
  const entries = Object.entries(object).map(async ([key, value]) => {
    if (Array.isArray(value)) return [key, await Promise.all(value.map(unpack))];
    return [key, isPacked(value) ? await unpack(value) : value];
  });
  return Object.fromEntries(await Promise.all(entries));
}
