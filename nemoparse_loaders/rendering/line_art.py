"""Rulings and picture boxes of a PDF page, from its path and image objects.

A ruling is a horizontal or vertical line as the reader sees it: a stroke, the edge of a stroked or shaded
box, or a box so thin that it serves as a line. Everything is bounded: a map of a hundred thousand paths costs
what the first few thousand cost.
"""

from __future__ import annotations

import ctypes
import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..document import BBox

if TYPE_CHECKING:
    import pypdfium2

Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]

_MAX_OBJECTS = 20_000
_MAX_SEGMENTS = 60_000
_MAX_RULINGS = 4_000
_MAX_IMAGES = 500
_MAX_DEPTH = 6

_THIN_PT = 2.5  # a box no thicker than this is a line
_SHORT_PT = 4.0  # a line shorter than this is part of a glyph or of a dash pattern
_LEVEL_PT = 0.7  # how far the two ends of a level line may differ
_JOIN_PT = 1.5  # gaps up to this are closed when pieces of one line are put together


def find_line_art(
    page: pypdfium2.PdfPage, to_page: Matrix, size_pt: tuple[float, float]
) -> tuple[tuple[BBox, ...], tuple[BBox, ...]]:
    """Rulings and image boxes of an open page.

    Args:
        page: An open page; the caller holds PDFium's lock.
        to_page: The affine map from user space to 0..1 of the displayed page.
        size_pt: Width and height of the displayed page in points.

    Returns:
        (rulings, images) in 0..1 of the displayed page; rulings have zero width or zero height, horizontal
        ones first, and pieces of one line are joined.
    """
    import pypdfium2.raw as pdfium_c

    collector = _Collector(pdfium_c, size_pt, rulings=True)
    collector.visit_page(page, to_page)
    return collector.rulings(), tuple(collector.images)


def find_images(page: pypdfium2.PdfPage, to_page: Matrix) -> tuple[BBox, ...]:
    """The image boxes of an open page alone, as `find_line_art` gives them."""
    import pypdfium2.raw as pdfium_c

    collector = _Collector(pdfium_c, (0.0, 0.0), rulings=False)
    collector.visit_page(page, to_page)
    return tuple(collector.images)


class _Collector:
    """Walks page objects within the bounds and keeps lines in points and images in fractions."""

    def __init__(self, pdfium_c: Any, size_pt: tuple[float, float], *, rulings: bool) -> None:
        self._c = pdfium_c
        self._with_rulings = rulings
        self._width, self._height = size_pt
        self._objects = 0
        self._segments = 0
        self._level: list[tuple[float, float, float]] = []  # (y, x0, x1) in points
        self._upright: list[tuple[float, float, float]] = []  # (x, y0, y1) in points
        self.images: list[BBox] = []

    def visit_page(self, page: pypdfium2.PdfPage, to_page: Matrix) -> None:
        """Take all objects of a page in, as far as the bounds allow."""
        for index in range(min(max(self._c.FPDFPage_CountObjects(page.raw), 0), _MAX_OBJECTS)):
            if not self.visit(self._c.FPDFPage_GetObject(page.raw, index), to_page, 0):
                break

    def visit(self, page_object: Any, outer: Matrix, depth: int) -> bool:
        """Take one object in; False once a bound is reached."""
        c = self._c
        self._objects += 1
        if self._objects > _MAX_OBJECTS or self._segments > _MAX_SEGMENTS:
            return False
        kind = c.FPDFPageObj_GetType(page_object)
        if kind == c.FPDF_PAGEOBJ_PATH:
            if self._with_rulings:
                self._path(page_object, _compose(self._matrix(page_object), outer))
        elif kind == c.FPDF_PAGEOBJ_IMAGE:
            self._image(_compose(self._matrix(page_object), outer))
        elif kind == c.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
            inner = _compose(self._matrix(page_object), outer)
            for index in range(max(c.FPDFFormObj_CountObjects(page_object), 0)):
                if not self.visit(c.FPDFFormObj_GetObject(page_object, index), inner, depth + 1):
                    return False
        return True

    def _matrix(self, page_object: Any) -> Matrix:
        matrix = self._c.FS_MATRIX()
        if not self._c.FPDFPageObj_GetMatrix(page_object, ctypes.byref(matrix)):
            return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f

    def _image(self, matrix: Matrix) -> None:
        corners = [_apply(matrix, x, y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        if not all(map(math.isfinite, xs + ys)) or len(self.images) >= _MAX_IMAGES:
            return
        box = BBox.clamped(min(xs), min(ys), max(xs), max(ys))
        if box.area > 0:
            self.images.append(box)

    def _path(self, path: Any, matrix: Matrix) -> None:
        c = self._c
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        if not c.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke)):
            return
        painted = bool(fill.value) and self._shows(path, c.FPDFPageObj_GetFillColor)
        drawn = bool(stroke.value) and self._shows(path, c.FPDFPageObj_GetStrokeColor)
        if not painted and not drawn:
            return
        for points, closed in self._subpaths(path, matrix):
            self._take(points, closed or not drawn, only_boxes=not drawn)

    def _shows(self, path: Any, colour_of: Any) -> bool:
        """Whether the colour is neither transparent nor white: white boxes clear the ground behind text."""
        parts = [ctypes.c_uint() for _ in range(4)]
        if not colour_of(path, *(ctypes.byref(part) for part in parts)):
            return True
        red, green, blue, alpha = (part.value for part in parts)
        return alpha > 0 and min(red, green, blue) < 250

    def _subpaths(self, path: Any, matrix: Matrix) -> list[tuple[list[Point], bool]]:
        """Runs of straight lines in points on the displayed page; a curve breaks the run."""
        c = self._c
        x, y = ctypes.c_float(), ctypes.c_float()
        x_ref, y_ref = ctypes.byref(x), ctypes.byref(y)
        found: list[tuple[list[Point], bool]] = []
        points: list[Point] = []
        for index in range(max(c.FPDFPath_CountSegments(path), 0)):
            self._segments += 1
            if self._segments > _MAX_SEGMENTS:
                break
            segment = c.FPDFPath_GetPathSegment(path, index)
            if not c.FPDFPathSegment_GetPoint(segment, x_ref, y_ref):
                continue
            u, v = _apply(matrix, x.value, y.value)
            point = (u * self._width, v * self._height)
            if not (math.isfinite(point[0]) and math.isfinite(point[1])):
                continue
            if c.FPDFPathSegment_GetType(segment) == c.FPDF_SEGMENT_LINETO:
                points.append(point)
            else:
                if len(points) > 1:
                    found.append((points, False))
                points = [point]
            if c.FPDFPathSegment_GetClose(segment):
                found.append((points, True))
                points = points[:1]
        if len(points) > 1:
            found.append((points, False))
        return found

    def _take(self, points: list[Point], closed: bool, *, only_boxes: bool) -> None:
        if closed and len(points) >= 4:
            xs, ys = [x for x, _ in points], [y for _, y in points]
            left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
            if _is_box(points, (left, top, right, bottom)):
                self._box(left, top, right, bottom)
                return
        if only_boxes:
            return
        if closed:
            points = [*points, points[0]]
        for (x0, y0), (x1, y1) in pairwise(points):
            self._line(x0, y0, x1, y1)

    def _box(self, left: float, top: float, right: float, bottom: float) -> None:
        width, height = right - left, bottom - top
        if height <= _THIN_PT and width > height:
            self._line(left, (top + bottom) / 2, right, (top + bottom) / 2)
        elif width <= _THIN_PT:
            self._line((left + right) / 2, top, (left + right) / 2, bottom)
        else:
            for x0, y0, x1, y1 in (
                (left, top, right, top),
                (left, bottom, right, bottom),
                (left, top, left, bottom),
                (right, top, right, bottom),
            ):
                self._line(x0, y0, x1, y1)

    def _line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        if len(self._level) + len(self._upright) >= 4 * _MAX_RULINGS:
            return
        if abs(y1 - y0) <= _LEVEL_PT and abs(x1 - x0) > _LEVEL_PT:
            y, a, b = (y0 + y1) / 2, max(min(x0, x1), 0.0), min(max(x0, x1), self._width)
            if 0 <= y <= self._height and b > a:
                self._level.append((y, a, b))
        elif abs(x1 - x0) <= _LEVEL_PT and abs(y1 - y0) > _LEVEL_PT:
            x, a, b = (x0 + x1) / 2, max(min(y0, y1), 0.0), min(max(y0, y1), self._height)
            if 0 <= x <= self._width and b > a:
                self._upright.append((x, a, b))

    def rulings(self) -> tuple[BBox, ...]:
        """The lines found, joined, in fractions of the page."""
        level = [
            BBox.clamped(a / self._width, y / self._height, b / self._width, y / self._height)
            for y, a, b in join_lines(self._level)
        ]
        upright = [
            BBox.clamped(x / self._width, a / self._height, x / self._width, b / self._height)
            for x, a, b in join_lines(self._upright)
        ]
        return tuple((level + upright)[:_MAX_RULINGS])


def join_lines(
    lines: list[tuple[float, float, float]], *, beside: float = _LEVEL_PT, gap: float = _JOIN_PT
) -> list[tuple[float, float, float]]:
    """Put pieces of one line together and drop what is too short to be one.

    Args:
        lines: (position across, start, end), in points.
        beside: How far two pieces may lie beside each other and still be one line.
        gap: How large a gap between two pieces of one line may be.

    Returns:
        Joined lines of at least 4 pt, ordered by position.
    """
    joined: list[tuple[float, float, float]] = []
    group: list[tuple[float, float, float]] = []
    for line in sorted(lines):
        if group and line[0] - group[0][0] > beside:
            joined.extend(_join_group(group, gap))
            group = []
        group.append(line)
    joined.extend(_join_group(group, gap))
    return [line for line in joined if line[2] - line[1] >= _SHORT_PT]


def _join_group(group: list[tuple[float, float, float]], gap: float) -> list[tuple[float, float, float]]:
    if not group:
        return []
    position = sum(line[0] for line in group) / len(group)
    runs: list[tuple[float, float, float]] = []
    for _, start, end in sorted(group, key=lambda line: line[1]):
        if runs and start <= runs[-1][2] + gap:
            runs[-1] = (position, runs[-1][1], max(runs[-1][2], end))
        else:
            runs.append((position, start, end))
    return runs


def _is_box(points: list[Point], bounds: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = bounds
    if len(points) > 6:
        return False
    return all(
        (abs(x - left) <= _LEVEL_PT or abs(x - right) <= _LEVEL_PT)
        and (abs(y - top) <= _LEVEL_PT or abs(y - bottom) <= _LEVEL_PT)
        for x, y in points
    )


def _compose(inner: Matrix, outer: Matrix) -> Matrix:
    """First ``inner``, then ``outer``."""
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _apply(matrix: Matrix, x: float, y: float) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
