/** Keys are the same when they differ only in case, `_` and `-`: `image_size` = `ImageSize` = `IMAGE-SIZE`. */
export const normaliseKey = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');
